//! The scripts by a parser of SQL: what a name or a text holds stays a name or a text.

use sqlparser::ast::{Expr, Ident, Statement, Value, visit_expressions};
use sqlparser::dialect::{
    BigQueryDialect, ClickHouseDialect, DuckDbDialect, GenericDialect, MySqlDialect,
    PostgreSqlDialect, SnowflakeDialect,
};
use sqlparser::parser::Parser;

use crate::read::{LogForm, Options, columns_named};
use crate::reduce::{Dialect, Part, Place, script};

const COLUMNS: [&str; 6] =
    ["ttft_ms", "e2e_s", "output_tokens", "start_time", "success", "request_id"];

fn parsed(dialect: Dialect, script: &str) -> Vec<Statement> {
    let rules: &dyn sqlparser::dialect::Dialect = match dialect {
        Dialect::DuckDb => &DuckDbDialect {},
        // Its quotes are those of MySQL.
        Dialect::Spark => &MySqlDialect {},
        Dialect::ClickHouse => &ClickHouseDialect {},
        Dialect::DataFusion => &GenericDialect {},
        Dialect::BigQuery => &BigQueryDialect {},
        Dialect::Snowflake => &SnowflakeDialect {},
        Dialect::Postgres => &PostgreSqlDialect {},
    };
    // How Spark and DataFusion name a file is their own.
    let select = &script[script.find("WITH bn_log").expect("a SELECT")..];
    Parser::parse_sql(rules, select)
        .unwrap_or_else(|error| panic!("{dialect:?}: {error}\n{select}"))
}

fn place(dialect: Dialect, name: &str) -> Place {
    if dialect.reads_tables_only() {
        Place::Table("logs.requests".to_owned())
    } else {
        Place::File(name.to_owned(), LogForm::Parquet)
    }
}

/// All names and texts of a statement.
fn words(statement: &Statement) -> (Vec<String>, Vec<String>) {
    let (mut names, mut texts) = (Vec::new(), Vec::new());
    let _ = visit_expressions(statement, |expression| {
        match expression {
            // The parser leaves escaped backslashes as they are.
            Expr::Identifier(Ident { value, .. }) => {
                names.extend([value.clone(), value.replace("\\\\", "\\")]);
            }
            Expr::Value(value) => {
                if let Value::SingleQuotedString(text) = &value.value {
                    texts.push(text.clone());
                }
            }
            _ => {}
        }
        std::ops::ControlFlow::<()>::Continue(())
    });
    (names, texts)
}

/// Names that end a quote, begin a comment or a statement in one engine or another.
const HOSTILE: [&str; 8] = [
    "\"; DROP TABLE logs; --",
    "`; DROP TABLE logs; --",
    "'; DROP TABLE logs; --",
    "\\'; DROP TABLE logs; --",
    "\\\"; x",
    "\\`; x",
    "a\\",
    "/* 模型 */ ]]",
];

#[test]
fn no_name_or_text_becomes_sql() {
    for (dialect, name) in Dialect::ALL {
        for hostile in HOSTILE {
            let names = COLUMNS.iter().copied().chain([hostile]).map(str::to_owned);
            let names: Vec<String> = names.collect();
            let options = Options { by: vec![hostile.to_owned()], ..Options::default() };
            let columns = columns_named(&names, &options).expect("columns");
            let part = Part {
                place: place(dialect, "log.parquet"),
                named: Some(hostile.to_owned()),
                variant: hostile.to_owned(),
                run: hostile.to_owned(),
            };
            let written = script(dialect, &[part], &columns);
            if dialect == Dialect::BigQuery && hostile.contains('`') {
                assert!(written.is_err());
                continue;
            }
            let written = written.expect("a script");
            let statements = parsed(dialect, &written);
            assert_eq!(statements.len(), 1, "{name}, {hostile}: {written}");
            let (names, texts) = words(&statements[0]);
            assert!(names.iter().any(|name| name == hostile), "{name}, {hostile}: {names:?}");
            assert!(texts.iter().any(|text| text == hostile), "{name}, {hostile}: {texts:?}");
        }
    }
}

/// A control character could end a comment or a line of a console.
#[test]
fn names_with_control_characters_are_refused() {
    let names: Vec<String> = COLUMNS.iter().copied().chain(["a\nb"]).map(str::to_owned).collect();
    let options = Options { by: vec!["a\nb".to_owned()], ..Options::default() };
    let columns = columns_named(&names, &options).expect("columns");
    for (dialect, _) in Dialect::ALL {
        let part =
            Part::typed(if dialect.reads_tables_only() { "logs" } else { "s3://logs/a.parquet" });
        let error = script(dialect, &[part], &columns).expect_err("a name").to_string();
        assert!(error.contains("a\\nb"), "{error}");
    }
}

#[test]
fn every_engine_gets_one_select_of_the_same_columns() {
    let names: Vec<String> = COLUMNS.iter().map(|name| (*name).to_owned()).collect();
    let columns = columns_named(&names, &Options::default()).expect("columns");
    for (dialect, name) in Dialect::ALL {
        let parts = ["before", "after"].map(|variant| Part {
            place: place(dialect, &format!("{variant}.parquet")),
            named: None,
            variant: variant.to_owned(),
            run: "1".to_owned(),
        });
        let written = script(dialect, &parts, &columns).expect("a script");
        let statements = parsed(dialect, &written);
        assert_eq!(statements.len(), 1, "{name}");
        let Statement::Query(query) = &statements[0] else { panic!("{name}: no SELECT") };
        let select = query.body.as_select().expect("a SELECT");
        // 20 of the tidy table and of the counts, 29 quantiles, 20 blocks.
        assert_eq!(select.projection.len(), 20 + 29 + 20, "{name}");
    }
}

#[test]
fn inputs_are_files_or_tables_by_their_form() {
    let place = |text: &str| Part::typed(text).place;
    assert_eq!(place("logs.requests"), Place::Table("logs.requests".to_owned()));
    let file = |path: &str, form| Place::File(path.to_owned(), form);
    assert_eq!(place("s3://b/*.parquet"), file("s3://b/*.parquet", LogForm::Parquet));
    assert_eq!(place("s3://b/a.csv.gz"), file("s3://b/a.csv.gz", LogForm::Csv(',')));
    assert_eq!(place("pr=s3://b/a.ndjson"), file("s3://b/a.ndjson", LogForm::JsonLines));
    assert_eq!(Part::typed("pr=logs").named.as_deref(), Some("pr"));
    let dotted = Part::typed("v1.2=logs.requests");
    assert_eq!(dotted.named.as_deref(), Some("v1.2"));
    assert_eq!(dotted.place, Place::Table("logs.requests".to_owned()));
    let partition = Part::typed("s3://b/build=pr/a.parquet");
    assert_eq!(partition.named, None);
}

/// Pooled into one run they would be one repeat, and taken for a run each they would be too many.
#[test]
fn several_files_behind_an_address_need_a_column_for_the_run() {
    let names: Vec<String> = COLUMNS.iter().map(|name| (*name).to_owned()).collect();
    let columns = columns_named(&names, &Options::default()).expect("columns");
    let by_run = [&names[..], &["run".to_owned()]].concat();
    let with_runs = columns_named(&by_run, &Options::default()).expect("columns");
    let written = |log: &str, columns| script(Dialect::DuckDb, &[Part::typed(log)], columns);
    for several in ["s3://b/*.parquet", "s3://b/{a,b}.parquet", "s3://b/main/", "pr=s3://b/main"] {
        let error = written(several, &columns).expect_err(several).to_string();
        assert!(error.contains("--run-column"), "{error}");
        written(several, &with_runs).expect(several);
    }
    written("s3://b/a.parquet", &columns).expect("one file is one run");
    written("logs.requests", &columns).expect("a table is one run");
}
