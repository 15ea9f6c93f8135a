import json

import pytest

from harness.serving.job import DEFAULT_MAX_TOKENS, LONGEST_TOKEN, Job, read_job
from harness.serving.openai_api import CHAT, COMPLETIONS, Refusal
from policies.call import Call
from tests.harness.serving.fakes import FakeEngine


def job_of(engine: FakeEngine, heard: list[dict], **body: object) -> Job:
    payload = json.dumps({"prompt": "hi"} | body).encode()
    call = Call(id="r1", route=COMPLETIONS, payload=payload, stream=bool(body.get("stream")))
    call.sink = lambda chunk: heard.append(json.loads(chunk.data))
    return read_job(call, engine)


async def test_the_answer_length_defaults_to_that_of_the_completions_api() -> None:
    assert job_of(FakeEngine(), []).sequence.max_tokens == DEFAULT_MAX_TOKENS


async def test_an_answer_that_does_not_fit_behind_its_prompt_is_refused() -> None:
    with pytest.raises(Refusal, match="only 62 fit"):
        job_of(FakeEngine(), [], max_tokens=63)


async def test_only_the_last_token_completes_the_answer() -> None:
    heard: list[dict] = []
    job = job_of(FakeEngine(), heard, max_tokens=3)
    assert [job.take(token, now=0.0) for token in b"abc"] == [False, False, True]
    (body,) = heard
    assert body["choices"][0] | {"logprobs": None} == {
        "index": 0,
        "text": "abc",
        "logprobs": None,
        "finish_reason": "length",
    }


async def test_the_end_token_completes_it_early_and_is_not_said() -> None:
    engine, heard = FakeEngine(), []
    (eos,) = engine.tokenizer.eos_ids
    job = job_of(engine, heard, max_tokens=3)
    assert [job.take(token, now=0.0) for token in (97, eos)] == [False, True]
    assert heard[0]["choices"][0]["text"] == "a"
    assert heard[0]["choices"][0]["finish_reason"] == "stop"


@pytest.mark.parametrize("route", [COMPLETIONS, CHAT])
async def test_a_prompt_that_can_never_fit_is_refused_before_it_is_made_into_tokens(route: str) -> None:
    engine = FakeEngine()
    engine.tokenizer = None  # nobody may ask it
    text = "x" * (LONGEST_TOKEN * engine.max_model_len + 1)
    payload = json.dumps({"prompt": text, "messages": [{"role": "user", "content": text}]}).encode()
    with pytest.raises(Refusal, match="characters, more than") as refused:
        read_job(Call(id="r1", route=route, payload=payload), engine)
    assert refused.value.status == 400
