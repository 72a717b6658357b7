//! Words for parts of the work: prefill, decode, load.

use beyondnoise_model::metrics::words::{Says, meaning};

/// Words for a part of the work that name no setting or quantity, and go with the name of one.
const PHASES: &str = "prefill decode decoding encode encoding prompt generation gen load loading startup start boot cold warm \
    token end-to-end total overall sum build compile compilation link install download upload import export parse parsing \
    init initialization setup shutdown read write save train training eval inference scheduling network disk \
    io cpu sys kernel cache first third last next server frontend database query step page render merge sort \
    search insert update delete lookup scan get set put forward backward fwd bwd";

/// Whether a word of a name is one for a part of the work.
pub(crate) fn is_part_of_work(name: &str) -> bool {
    let lower = name.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    words.any(|word| PHASES.split_whitespace().any(|phase| phase == word))
}

/// Whether a word is one for a part of the work, a setting, a quantity or a statistic.
pub(crate) fn is_phase(word: &str) -> bool {
    let meaning = meaning(word);
    is_part_of_work(word) || meaning.says != Says::Nothing || meaning.statistic.is_some()
}
