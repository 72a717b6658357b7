//! The check of `--ready`: a URL, an address or a command.

use std::fmt;

use beyondnoise::error::Error;

/// How to see that a server is ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ready {
    /// It answers with a status of 200 to 299.
    Url {
        /// As typed.
        url: String,
        /// The host that it names.
        host: String,
        /// The port that it names.
        port: u16,
    },
    /// It takes connections.
    Address {
        /// A name or an address.
        host: String,
        port: u16,
    },
    /// It ends with status 0.
    Command(String),
}

impl Ready {
    /// Reads `http://...`, `host:port`, or else a command.
    ///
    /// # Errors
    ///
    /// If it is empty, or a URL or an address that cannot be asked.
    pub(super) fn parse(text: &str) -> Result<Self, Error> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Error::usage("--ready is empty", "write a URL, host:port or a command"));
        }
        let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
        match scheme.as_deref() {
            Some("http") => {
                let rest = &text["http://".len()..];
                let (host, port) = authority(rest).ok_or_else(|| {
                    let problem = format!("--ready {text} has no host or no valid port");
                    Error::usage(problem, "write it as http://localhost:8000/health")
                })?;
                Ok(Self::Url { url: text.to_owned(), host, port })
            }
            Some("https") => {
                let remedy = format!("use a command: --ready 'curl -sfk {text}'");
                Err(Error::usage("--ready cannot ask an https URL itself", remedy))
            }
            _ => match address(text) {
                Some((host, port)) => Ok(Self::Address { host, port }),
                None if is_like_address(text) => {
                    let problem =
                        format!("--ready {text} is no address, no http URL and no command");
                    let remedy = "write http://localhost:8000/health, localhost:8000 or a command";
                    Err(Error::usage(problem, remedy))
                }
                None => Ok(Self::Command(text.to_owned())),
            },
        }
    }

    /// Its host and port, if it has them.
    pub(super) fn address(&self) -> Option<(&str, u16)> {
        match self {
            Self::Url { host, port, .. } | Self::Address { host, port } => Some((host, *port)),
            Self::Command(_) => None,
        }
    }
}

impl fmt::Display for Ready {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url { url, .. } => f.write_str(url),
            Self::Address { host, port } if host.contains(':') => write!(f, "[{host}]:{port}"),
            Self::Address { host, port } => write!(f, "{host}:{port}"),
            Self::Command(command) => write!(f, "`{command}`"),
        }
    }
}

/// The host and port of a URL without its scheme.
fn authority(rest: &str) -> Option<(String, u16)> {
    let authority = rest.split(['/', '?', '#']).next()?;
    let place = authority.rsplit_once('@').map_or(authority, |(_, place)| place);
    let has_port = place.rsplit_once(':').is_some_and(|(_, port)| !port.contains(']'));
    if has_port { address(place) } else { address(&format!("{place}:80")) }
}

/// `host:port`, the host in brackets if it has colons.
fn address(text: &str) -> Option<(String, u16)> {
    let (host, port) = text.rsplit_once(':')?;
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let port = port.parse().ok().filter(|port| *port > 0)?;
    let named = |c: char| c.is_alphanumeric() || "-._:%".contains(c);
    (!host.is_empty() && host.chars().all(named)).then(|| (host.to_owned(), port))
}

/// Whether it is one word with a colon, as an address without scheme or with a wrong port is and no command.
fn is_like_address(text: &str) -> bool {
    let of_shell = |c: char| c.is_whitespace() || "'\"$;|&()<>`\\".contains(c);
    text.contains(':') && !text.contains(of_shell) && !text.starts_with(['/', '.', '~'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(url: &str, host: &str, port: u16) -> Ready {
        Ready::Url { url: url.to_owned(), host: host.to_owned(), port }
    }

    #[test]
    fn urls_addresses_and_commands_are_told_apart() {
        let of = |text: &str| Ready::parse(text).expect("a check");
        assert_eq!(
            of("http://localhost:8000/health"),
            url("http://localhost:8000/health", "localhost", 8000)
        );
        assert_eq!(of("http://[::1]/a:9?b"), url("http://[::1]/a:9?b", "::1", 80));
        assert_eq!(of("HTTP://a@b:81"), url("HTTP://a@b:81", "b", 81));
        let address = |host: &str, port| Ready::Address { host: host.to_owned(), port };
        assert_eq!(of(" localhost:8000 "), address("localhost", 8000));
        assert_eq!(of("[::1]:8000"), address("::1", 8000));
        assert_eq!(of("[::1]:8000").to_string(), "[::1]:8000");
        for command in ["nc -z localhost 8000", "./ready.sh", "true", "./a:b", "curl -f http://a:1"]
        {
            assert_eq!(of(command), Ready::Command(command.to_owned()));
        }
        let urls =
            ["https://localhost", "http://", "http://localhost:99999/", "htp://localhost:1/"];
        let addresses = ["", "a:b", "localhost:0", "x:99999", "localhost:8000/health"];
        for wrong in urls.into_iter().chain(addresses) {
            Ready::parse(wrong).expect_err(wrong);
        }
    }
}
