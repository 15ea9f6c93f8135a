"""Every text has ids and comes back."""

from harness.serving.model.byte_tokenizer import END_OF_TEXT, ByteTokenizer


def test_any_text_comes_back() -> None:
    tokenizer = ByteTokenizer()
    assert tokenizer.decode(tokenizer.encode("Zürich 🦀\n\0")) == "Zürich 🦀\n\0"


def test_a_lone_surrogate_is_encoded_as_a_question_mark() -> None:
    assert ByteTokenizer().encode("\ud800") == [ord("?")]


def test_the_end_of_text_and_unknown_ids_are_no_text() -> None:
    assert ByteTokenizer().decode([104, END_OF_TEXT, 105, 999, -1]) == "hi"


def test_a_conversation_ends_where_the_assistant_begins() -> None:
    tokenizer = ByteTokenizer()
    ids = tokenizer.chat([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}])
    assert tokenizer.decode(ids) == "System: Be brief.\n\nUser: Hi\n\nAssistant: "
