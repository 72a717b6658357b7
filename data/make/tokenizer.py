"""Write a tokenizer of 1000 invented words, one token a word: `tokenizer.py FOLDER`."""

import sys

from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from transformers import PreTrainedTokenizerFast

words = ["<unk>", "<eos>"] + [f"w{i}" for i in range(1000)]
core = Tokenizer(WordLevel({w: i for i, w in enumerate(words)}, unk_token="<unk>"))
core.pre_tokenizer = WhitespaceSplit()
PreTrainedTokenizerFast(
    tokenizer_object=core, unk_token="<unk>", eos_token="<eos>", model_max_length=4096
).save_pretrained(sys.argv[1])
