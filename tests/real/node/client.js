// The ordinary calls of toxiproxy-node-client, one after the other: node client.js URL
const assert = require("node:assert/strict");
const { Toxiproxy } = require("toxiproxy-node-client");

const upstream = "127.0.0.1:9";
const listen = "127.0.0.1:0";

async function proxies(toxiproxy) {
  const made = await toxiproxy.createProxy({ name: "a", listen, upstream });
  assert.match(made.listen, /^127\.0\.0\.1:[1-9]/);
  assert.equal(made.enabled, true);
  assert.equal((await toxiproxy.get("a")).listen, made.listen);
  assert.deepEqual(Object.keys(await toxiproxy.getAll()), ["a"]);
  await assert.rejects(toxiproxy.createProxy({ name: "a", listen, upstream }), /409/);
  await assert.rejects(toxiproxy.get("b"), /404/);
  return made;
}

async function switching(toxiproxy, proxy) {
  const same = { listen: proxy.listen, upstream };
  assert.equal((await proxy.update({ ...same, enabled: false })).enabled, false);
  assert.equal((await toxiproxy.get("a")).enabled, false);
  const again = await proxy.update({ ...same, enabled: true });
  assert.deepEqual([again.enabled, again.listen], [true, proxy.listen]);
}

async function toxics(proxy) {
  const made = await proxy.addToxic({
    name: "slow", type: "latency", stream: "upstream", toxicity: 0.5, attributes: { latency: 20, jitter: 5 },
  });
  assert.deepEqual(made.toJson(), {
    name: "slow", type: "latency", stream: "upstream", toxicity: 0.5, attributes: { latency: 20, jitter: 5 },
  });
  const changed = await made.update({ toxicity: 1, attributes: { latency: 30 } });
  assert.deepEqual([changed.toxicity, changed.attributes], [1, { latency: 30, jitter: 5 }]);
  assert.deepEqual((await proxy.getToxic("slow")).toJson(), changed.toJson());
  await made.remove();
  await assert.rejects(proxy.getToxic("slow"), /404/);
  await assert.rejects(proxy.addToxic({ type: "slowness" }), /400/);
}

async function all(toxiproxy, proxy) {
  const body = ["b", "c"].map((name) => ({ name, listen, upstream }));
  const made = await toxiproxy.populate(body);
  assert.deepEqual(Object.keys(made), ["b", "c"]);
  await made.b.addToxic({ name: "t", type: "timeout", attributes: { timeout: 5 } });
  await toxiproxy.reset();
  await assert.rejects(made.b.getToxic("t"), /404/);
  for (const each of [proxy, made.b, made.c]) await each.remove();
  assert.deepEqual(await toxiproxy.getAll(), {});
  assert.match(JSON.parse(await toxiproxy.getVersion()).version, /./);
}

async function main() {
  const toxiproxy = new Toxiproxy(process.argv[2]);
  const proxy = await proxies(toxiproxy);
  await switching(toxiproxy, proxy);
  await toxics(proxy);
  await all(toxiproxy, proxy);
  console.log("all calls done");
}

main();
