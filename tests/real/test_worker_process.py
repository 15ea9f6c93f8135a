"""Worker processes as a client meets them: the official client, plain HTTP, signals, and a slow model."""

import asyncio
import multiprocessing
import os
import signal
from collections.abc import AsyncIterator
from multiprocessing.connection import Connection

import aiohttp
import openai
import psutil
import pytest

from faults.engine.slow_steps import SlowSteps
from harness.errors import EnvironmentFault
from harness.serving.pool import Pool, forkserver_context
from harness.serving.worker_admin import WorkerAdmin
from harness.serving.worker_process import FAILED, WorkerConfig, main

pytestmark = pytest.mark.real


@pytest.fixture
async def pool() -> AsyncIterator[Pool]:
    async with Pool([WorkerConfig(name=f"worker-{n}", step_floor_s=0.0) for n in range(2)]) as pool:
        yield pool


@pytest.fixture
async def url(pool: Pool) -> str:
    return pool.workers["worker-0"].url


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=30)) as session:
        yield session


@pytest.fixture
async def client(url: str) -> AsyncIterator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(base_url=url + "/v1", api_key="unused", max_retries=0) as client:
        yield client


async def test_the_official_client_completes(client: openai.AsyncOpenAI) -> None:
    answer = await client.completions.create(model="tiny", prompt="The class ", max_tokens=20)
    assert len(answer.choices[0].text) > 5
    assert answer.usage is not None
    assert answer.usage.completion_tokens <= 20
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens


async def test_the_official_client_streams_the_same_text(client: openai.AsyncOpenAI) -> None:
    whole = await client.completions.create(model="tiny", prompt="The class ", max_tokens=20, temperature=0)
    stream = await client.completions.create(
        model="tiny", prompt="The class ", max_tokens=20, temperature=0, stream=True
    )
    pieces = [piece.choices[0].text async for piece in stream]
    assert len(pieces) > 5
    assert "".join(pieces) == whole.choices[0].text


async def test_the_official_client_chats_both_ways(client: openai.AsyncOpenAI) -> None:
    messages = [{"role": "user", "content": "What is a class?"}]
    whole = await client.chat.completions.create(
        model="tiny", messages=messages, max_tokens=12, temperature=0
    )
    stream = await client.chat.completions.create(
        model="tiny",
        messages=messages,
        max_tokens=12,
        temperature=0,
        stream=True,
        stream_options={"include_usage": True},
    )
    pieces = [piece async for piece in stream]
    assert pieces[0].choices[0].delta.role == "assistant"
    assert pieces[-1].usage is not None
    said = "".join(p.choices[0].delta.content or "" for p in pieces if p.choices)
    assert said == whole.choices[0].message.content


async def test_the_official_client_lists_the_model(client: openai.AsyncOpenAI) -> None:
    assert [model.id async for model in client.models.list()] == ["tiny"]


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"prompt": ""}, openai.BadRequestError),
        ({"max_tokens": 10**6}, openai.BadRequestError),
        ({"model": "gpt-9"}, openai.NotFoundError),
    ],
)
async def test_the_official_client_understands_refusals(
    client: openai.AsyncOpenAI, fields: dict, error: type[openai.APIStatusError]
) -> None:
    with pytest.raises(error) as refused:
        await client.completions.create(**({"model": "tiny", "prompt": "x", "max_tokens": 4} | fields))
    assert refused.value.body["code"] == refused.value.status_code
    assert refused.value.body["message"]


async def test_health_and_metrics_answer_while_the_worker_is_slow(
    pool: Pool, url: str, http: aiohttp.ClientSession
) -> None:
    async with WorkerAdmin("worker-0", url) as admin:
        await admin.inject(SlowSteps(factor=1000), lease_s=30)
        body = {"prompt": "x", "max_tokens": 50}
        waiting = asyncio.create_task(http.post(url + "/v1/completions", json=body))
        while not ((state := await admin.state()) and state.running):
            await asyncio.sleep(0.01)
        async with http.get(url + "/health") as health:
            assert health.status == 200
        async with http.get(url + "/metrics") as metrics:
            text = await metrics.text()
        assert 'vllm:num_requests_running{model_name="tiny"} 1.0' in text
        assert 'limplock:fault_active{model_name="tiny"} 1.0' in text
        waiting.cancel()
        await asyncio.wait([waiting])


async def test_metrics_count_what_was_served_under_the_names_vllm_uses(
    url: str, http: aiohttp.ClientSession
) -> None:
    body = {"prompt": "abc", "max_tokens": 5, "ignore_eos": True}
    async with http.post(url + "/v1/completions", json=body) as response:
        assert response.status == 200
        assert response.headers["X-Served-By"] == "worker-0"
    async with http.get(url + "/metrics") as metrics:
        text = await metrics.text()
    for line in (
        "vllm:prompt_tokens_total 3.0",
        "vllm:generation_tokens_total 5.0",
        "vllm:request_success_total 1.0",
        "vllm:time_to_first_token_seconds_count 1.0",
        "vllm:inter_token_latency_seconds_count 4.0",
        "vllm:e2e_request_latency_seconds_count 1.0",
        "vllm:request_queue_time_seconds_count 1.0",
        "limplock:step_seconds_count 5.0",
    ):
        assert line in text.replace('{model_name="tiny"}', ""), line


async def test_a_slow_worker_is_slowed_by_what_was_asked_and_its_peer_is_not() -> None:
    async def step_s(name: str, pool: Pool, http: aiohttp.ClientSession) -> float:
        """Mean step time over one answer, by the worker's own count."""
        async with WorkerAdmin(name, pool.workers[name].url) as admin:
            before = await admin.state()
            body = {"prompt": "abc", "max_tokens": 8, "ignore_eos": True}
            async with http.post(admin.url + "/v1/completions", json=body) as response:
                await response.read()
            after = await admin.state()
            assert before is not None
            assert after is not None
            return (after.step_seconds - before.step_seconds) / (after.steps - before.steps)

    configs = [WorkerConfig(name=f"worker-{n}", step_floor_s=0.03) for n in range(2)]
    async with Pool(configs) as pool, aiohttp.ClientSession() as http:
        healthy = [await step_s(name, pool, http) for name in pool.workers]
        async with WorkerAdmin("worker-0", pool.workers["worker-0"].url) as admin:
            await admin.inject(SlowSteps(factor=10), lease_s=30)
            faulted = [await step_s(name, pool, http) for name in pool.workers]
            assert await admin.heal()
    assert faulted[0] / healthy[0] == pytest.approx(10, rel=0.1)
    assert faulted[1] / healthy[1] == pytest.approx(1, rel=0.25)


async def test_a_client_that_leaves_frees_its_batch_slot(url: str, http: aiohttp.ClientSession) -> None:
    async with WorkerAdmin("worker-0", url) as admin:
        await admin.inject(SlowSteps(factor=50), lease_s=30)
        body = {"prompt": "x", "max_tokens": 1000, "ignore_eos": True, "stream": True}
        response = await http.post(url + "/v1/completions", json=body)
        await response.content.readany()
        response.close()
        while (state := await admin.state()) and state.running:
            await asyncio.sleep(0.02)
        assert state is not None
        assert (state.running, state.aborted) == (0, 1)


@pytest.mark.parametrize(
    ("order", "says"),
    [
        ({"kind": "slow_stps", "lease_s": 1}, "unknown fault"),
        ({"kind": "slow_steps", "lease_s": 1, "parameters": {"factor": 0.1}}, "factor must be 1 or more"),
        ({"kind": "slow_steps", "lease_s": 1, "parameters": {"x": 1}}, "has no parameter 'x'"),
        ({"lease_s": 1}, "kind"),
    ],
)
async def test_a_wrong_fault_order_is_refused(
    url: str, http: aiohttp.ClientSession, order: dict, says: str
) -> None:
    async with http.post(url + "/admin/fault", json=order) as response:
        assert response.status == 400
        assert says in await response.text()


async def test_a_worker_that_cannot_start_is_said_with_its_cause(tmp_path) -> None:
    with pytest.raises(EnvironmentFault, match=r"worker-0 did not start: .*[^.]\. See --model and --device$"):
        async with Pool([WorkerConfig(name="worker-0", model=str(tmp_path))]):
            pass


def break_at_the_first_step(config: WorkerConfig, ready: Connection) -> None:
    """A worker process whose engine says nothing, which its step loop cannot survive."""
    from harness.serving.torch_engine import TorchEngine

    TorchEngine.step = lambda self, batch: []
    main(config, ready)


async def test_a_worker_whose_step_loop_breaks_says_so_and_ends_with_a_status(
    http: aiohttp.ClientSession,
) -> None:
    hear, tell = multiprocessing.Pipe(duplex=False)
    config = WorkerConfig(name="worker-0", device="cpu")
    process = forkserver_context().Process(target=break_at_the_first_step, args=(config, tell), daemon=True)
    process.start()
    try:
        port = (await asyncio.to_thread(hear.recv)).port
        async with http.post(f"http://127.0.0.1:{port}/v1/completions", json={"prompt": "x"}) as response:
            assert response.status == 500
            assert "the step loop broke: ValueError" in await response.text()
        await asyncio.to_thread(process.join, 10)
        assert process.exitcode == FAILED
    finally:
        process.kill()
        process.join()
        hear.close()
        tell.close()


async def test_ending_a_pool_leaves_no_process(pool: Pool) -> None:
    pids = [worker.process.pid for worker in pool.workers.values()]
    await pool.__aexit__()
    assert not any(psutil.pid_exists(pid) for pid in pids if pid)


async def test_a_stopped_worker_is_ended_too() -> None:
    async with Pool([WorkerConfig(name="worker-0")]) as pool:
        pid = pool.workers["worker-0"].process.pid
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
    assert not psutil.pid_exists(pid)
