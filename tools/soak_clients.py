"""The clients of a soak: those who behave, and those who do not. Each is a coroutine that goes on until it is told to end."""

import asyncio
import gzip
import json
import random
import time

from soak_corpus import bad_requests
from soak_judge import Ledger, candidates_of, code_of
from soak_link import Broken, Link, Reply, get, post
from soak_world import World, live_rows

USERS = range(1, 41)
STORE_PLANS = ("complex_dag", "mixed_pipeline", "parallel_fanout", "viewer_filter", "who")
# What a busy machine may answer at any time, and what is an outage of Redis told to the caller.
REFUSALS = {503: "busy"}
OUTAGES = {500: "node_failed", 502: "endpoint_unavailable", 504: "node_timeout"}


class Clients:
    """What all clients share: the server, the ledger, what is expected, and when to end."""

    def __init__(self, world: World, ledger: Ledger, seed: int):
        self.world, self.ledger, self.seed = world, ledger, seed
        self.is_over = False
        self.expected: dict[tuple[str, int], bytes] = {}
        self.exact_sent = self.exact_good = 0
        self._bad = bad_requests()

    async def learn(self) -> None:
        """Asks everything once while nothing disturbs; later answers must be the same."""
        link = await Link.open(self.world.port)
        for plan in (*STORE_PLANS, "still", "exact", "slow"):
            for user in USERS:
                await link.send(post(f"/v1/rank/{plan}", json.dumps({"user_id": user, "limit": 10}).encode()))
                reply = await link.reply()
                if reply.status != 200 or reply.fields.get("x-degraded"):
                    raise RuntimeError(f"{plan} for user {user}: {reply.status} {reply.body[:300]!r}")
                self.expected[plan, user] = candidates_of(reply.body)
        link.close()

    def everyone(self) -> list:
        """One coroutine per client."""
        kinds = [(self.ranker, 8), (self.embedded, 2), (self.exact, 2), (self.live, 2), (self.pipeliner, 1), (self.batcher, 2),
                 (self.packer, 1), (self.hasty, 2), (self.leaver, 4), (self.babbler, 3), (self.dribbler, 6), (self.deaf, 2)]
        return [self._run(kind, random.Random(f"{self.seed} {kind.__name__} {index}"))
                for kind, count in kinds for index in range(count)]

    async def _run(self, kind, chance: random.Random) -> None:
        """Calls a client again and again, each time with a connection of its own."""
        while not self.is_over:
            try:
                await kind(chance)
            except (OSError, Broken, asyncio.TimeoutError) as error:
                self.ledger.complain(kind.__name__, f"{type(error).__name__}: {error}")
                await asyncio.sleep(0.1)

    # --- clients that behave: every answer is judged ---

    def judge(self, kind: str, plan: str, user: int, began: float, reply: Reply) -> None:
        code = code_of(reply.body) if reply.status != 200 else ""
        if reply.status == 200 and "x-degraded" not in reply.fields:
            if candidates_of(reply.body) != self.expected[plan, user]:
                return self.ledger.complain(kind, f"{plan} for user {user}: {reply.body[:300]!r}")
            return self.ledger.note(kind, "good")
        if REFUSALS.get(reply.status) == code:
            return self.ledger.note(kind, "refused")
        needs_redis = plan in STORE_PLANS
        if needs_redis and not self.world.redis_was_up(began) and (reply.status == 200 or OUTAGES.get(reply.status) == code):
            return self.ledger.note(kind, "degraded" if reply.status == 200 else "failed")
        self.ledger.complain(kind, f"{plan} for user {user}: {reply.status} {reply.body[:300]!r}")

    async def ask(self, link: Link, kind: str, plan: str, user: int, *fields: str) -> Reply:
        began = time.monotonic()
        await link.send(post(f"/v1/rank/{plan}", json.dumps({"user_id": user, "limit": 10}).encode(), *fields))
        reply = await link.reply()
        self.judge(kind, plan, user, began, reply)
        return reply

    async def ranker(self, chance: random.Random) -> None:
        link = await Link.open(self.world.port)
        for _ in range(chance.randint(1, 200)):
            reply = await self.ask(link, "ranker", chance.choice(STORE_PLANS), chance.choice(USERS))
            if reply.closes or self.is_over:
                break
            await asyncio.sleep(chance.random() * 0.02)
        link.close()

    async def embedded(self, chance: random.Random) -> None:
        link = await Link.open(self.world.port)
        for _ in range(100):
            user = chance.choice(USERS)
            began = time.monotonic()
            await link.send(get(f"/v1/rank/still?user_id={user}&limit=10"))
            self.judge("embedded", "still", user, began, await link.reply())
            if self.is_over:
                break
            await asyncio.sleep(0.005)
        link.close()

    async def exact(self, chance: random.Random) -> None:
        """Alone asks for its plan, so that its count and that of the server must be the same."""
        link = await Link.open(self.world.port)
        for _ in range(100):
            self.exact_sent += 1
            reply = await self.ask(link, "exact", "exact", chance.choice(USERS))
            self.exact_good += reply.status == 200
            if self.is_over:
                break
            await asyncio.sleep(0.01)
        link.close()

    async def live(self, chance: random.Random) -> None:
        """Asks for the plan that changes: rows and version belong together, and no version follows a later one."""
        link = await Link.open(self.world.port)
        last = 0
        for _ in range(300):
            await link.send(post("/v1/rank/live", json.dumps({"user_id": chance.choice(USERS)}).encode()))
            reply = await link.reply()
            if reply.status == 503 and code_of(reply.body) == "busy":
                self.ledger.note("live", "refused")
                continue
            answer = json.loads(reply.body)
            version = answer.get("plan", {}).get("version", "")
            if reply.status != 200 or len(answer["candidates"]) != live_rows(version) or int(version[1:]) < last:
                self.ledger.complain("live", f"after v{last}: {reply.status} {reply.body[:300]!r}")
            else:
                self.ledger.note("live", "good")
                last = int(version[1:])
            if self.is_over:
                break
            await asyncio.sleep(0.005)
        link.close()

    async def pipeliner(self, chance: random.Random) -> None:
        """Sends many before it reads one: answers come in order."""
        link = await Link.open(self.world.port)
        ids = [f"pipe-{chance.getrandbits(40):x}" for _ in range(20)]
        users = [chance.choice(USERS) for _ in ids]
        body = [json.dumps({"user_id": user, "limit": 10}).encode() for user in users]
        began = time.monotonic()
        await link.send(b"".join(post("/v1/rank/still", body[i], f"X-Request-Id: {ids[i]}") for i in range(len(ids))))
        for wanted, user in zip(ids, users):
            reply = await link.reply()
            if reply.fields.get("x-request-id") != wanted:
                self.ledger.complain("pipeliner", f"{wanted} got the answer of {reply.fields.get('x-request-id')}")
            self.judge("pipeliner", "still", user, began, reply)
        link.close()
        await asyncio.sleep(0.05)

    async def batcher(self, chance: random.Random) -> None:
        users = [chance.choice(USERS) for _ in range(40)]
        lines = [json.dumps({"user_id": user, "limit": 10}).encode() for user in users]
        bad = chance.randrange(len(lines))
        lines[bad] = b'{"user_id": '
        link = await Link.open(self.world.port)
        await link.send(post("/v1/rank/still/batch", b"\n".join(lines), "Connection: close"))
        reply = await link.reply()
        link.close()
        answers = [json.loads(line) for line in reply.body.splitlines()]
        if reply.status != 200 or [answer["line"] for answer in answers] != list(range(len(lines))):
            return self.ledger.complain("batcher", f"{reply.status} {reply.body[:300]!r}")
        for index, line in enumerate(reply.body.splitlines()):
            status = answers[index]["status"]
            is_good = status == 400 if index == bad else status == 200 and candidates_of(line) == self.expected["still", users[index]]
            self.ledger.note("batcher", "good") if is_good else self.ledger.complain("batcher", f"line {index}: {line[:300]!r}")
        await asyncio.sleep(0.1)

    async def packer(self, chance: random.Random) -> None:
        """Packs its bodies and takes packed answers."""
        link = await Link.open(self.world.port)
        user = chance.choice(USERS)
        body = gzip.compress(json.dumps({"user_id": user, "limit": 10}).encode())
        began = time.monotonic()
        await link.send(post("/v1/rank/still", body, "Content-Encoding: gzip", "Accept-Encoding: gzip", "Connection: close"))
        reply = await link.reply()
        link.close()
        if reply.fields.get("content-encoding") == "gzip":
            reply.body = gzip.decompress(reply.body)
        self.judge("packer", "still", user, began, reply)
        await asyncio.sleep(0.02)

    async def hasty(self, chance: random.Random) -> None:
        """Has less time than its plan needs, or just enough."""
        link = await Link.open(self.world.port)
        for _ in range(20):
            user = chance.choice(USERS)
            began = time.monotonic()
            await link.send(post("/v1/rank/slow", json.dumps({"user_id": user, "limit": 10}).encode(),
                                 f"X-Deadline-Ms: {chance.choice((1, 10, 39, 41, 60, 5000))}"))
            reply = await link.reply()
            if reply.status == 504 and code_of(reply.body) == "deadline_exceeded":
                self.ledger.note("hasty", "late")
            else:
                self.judge("hasty", "slow", user, began, reply)
            if self.is_over:
                break
        link.close()

    # --- clients that do not: the server must get over them ---

    async def leaver(self, chance: random.Random) -> None:
        """Goes away before, in or after its request, with or without a word."""
        plan = chance.choice((*STORE_PLANS, "slow", "still"))
        request = post(f"/v1/rank/{plan}", json.dumps({"user_id": chance.choice(USERS)}).encode())
        if chance.random() < 0.3:
            request = post(f"/v1/rank/{plan}/batch", b'{"user_id": 1}\n' * 200)
        elif chance.random() < 0.2:
            request *= 8
        link = await Link.open(self.world.port)
        size = chance.choice((0, len(request), chance.randrange(len(request))))
        await link.send(request[:size])
        await asyncio.sleep(chance.choice((0, 0.001, 0.02, 0.1)))
        link.reset() if chance.random() < 0.6 else link.close()
        self.ledger.deeds["clients that left"] += 1
        await asyncio.sleep(0.01)

    async def babbler(self, chance: random.Random) -> None:
        """Sends what is no request. Each of the corpus has the status it must get."""
        self.ledger.deeds["bad bytes"] += 1
        if chance.random() < 0.5:
            name, wanted, request = chance.choice(self._bad)
        else:
            name, wanted, request = "noise", None, self._noise(chance)
        link = await Link.open(self.world.port)
        try:
            await link.send(request)
            link.end_input()
            text = await link.rest()
        except (ConnectionError, OSError):  # the server may have had enough before it has read all
            text = b""
        link.close()
        if wanted and text and not text.startswith(f"HTTP/1.1 {wanted} ".encode()):
            self.ledger.complain("babbler", f"{name} got {text[:100]!r}, not {wanted}")
        elif text and not text.startswith(b"HTTP/1.1 ") or b" 500 " in text[:16]:
            self.ledger.complain("babbler", f"{request[:200]!r} got {text[:200]!r}")
        else:
            self.ledger.note("babbler", "good")
        await asyncio.sleep(0.02)

    def _noise(self, chance: random.Random) -> bytes:
        if chance.random() < 0.3:
            return chance.randbytes(chance.randint(1, 5000))
        request = bytearray(post("/v1/rank/still", b'{"user_id":1,"limit":3}'))
        for _ in range(chance.randint(1, 4)):
            place = chance.randrange(len(request))
            chance.choice((lambda: request.__setitem__(place, chance.randrange(256)), lambda: request.insert(place, chance.randrange(256)),
                           lambda: request.__delitem__(slice(place, place + 3))))()
        return bytes(request)

    async def dribbler(self, chance: random.Random) -> None:
        """One byte after the other, never to the end; or not a single one."""
        link = await Link.open(self.world.port)
        self.ledger.deeds["slow clients"] += 1
        try:
            for byte in b"POST /v1/rank/still HTTP/1.1\r\nHost: h\r\nX: "[:chance.choice((0, 40))]:
                await link.send(bytes([byte]))
                await asyncio.sleep(0.1)
                if self.is_over:
                    break
            if chance.random() < 0.5:
                await asyncio.wait_for(link.rest(), 1.0)
        except (OSError, asyncio.TimeoutError):
            pass
        link.close()

    async def deaf(self, chance: random.Random) -> None:
        """Asks for a lot and does not read for a while."""
        link = await Link.open(self.world.port)
        self.ledger.deeds["deaf clients"] += 1
        count = 200
        try:
            await link.send(post("/v1/rank/still", b'{"user_id":1}') * count)
            await asyncio.sleep(chance.choice((0.2, 1.0)))
            for _ in range(count):
                reply = await link.reply()
                if reply.status not in (200, 503):
                    self.ledger.complain("deaf", f"{reply.status} {reply.body[:200]!r}")
                if chance.random() < 0.001:
                    break
        finally:
            link.close()
