"""Scenarios of tasks, in both forms: `task` params of 2025-11-25, and the extension of 2026-07-28."""

from __future__ import annotations

import json
import time

from asking import FORM
from peer import META, TASKS, Peer, Request, tool

MADE = "2026-07-28T00:00:00Z"
POLL_MS = 40


class Task:
    """One task: what it is of, and how often it was asked for."""

    def __init__(self, task_id: str, request: Request):
        self.id = task_id
        self.request = request
        self.status = "working"
        self.polls: list[float] = []
        self.waiting: list[Request] = []
        self.question_open = False
        self.answers: dict = {}


class Tasks(Peer):
    """`run` becomes a task where the client takes one; how it goes on is the scenario's."""

    def __init__(self) -> None:
        super().__init__()
        self.tasks: dict[str, Task] = {}

    @tool(ms="integer", kind="string")
    def tool_run(self, request: Request) -> None:
        """Runs as a task, or answers at once for a client that takes none."""
        declared = request.meta.get(META + "clientCapabilities") or {}
        takes = TASKS in (declared.get("extensions") or {}) if request.modern else "task" in request.params
        if not takes:
            self.text(request, "without a task")
            return
        task = Task(f"task-{len(self.tasks) + 1}", request)
        self.tasks[task.id] = task
        if request.modern:
            self.result(request, {"resultType": "task", **self.view(task)})
        else:
            self.result(request, {"task": self.view(task)})
        self.started(task)

    tool_run.task_support = "optional"

    @tool()
    def tool_polls(self, request: Request) -> None:
        """The milliseconds between the polls of the first task."""
        polls = next(iter(self.tasks.values())).polls
        gaps = [round((after - before) * 1000) for before, after in zip(polls, polls[1:])]
        self.text(request, json.dumps({"polls": len(polls), "gaps": gaps, "interval": POLL_MS}))

    @tool()
    def tool_states(self, request: Request) -> None:
        """The state of every task, by its id."""
        self.text(request, json.dumps({task.id: task.status for task in self.tasks.values()}))

    def started(self, task: Task) -> None:
        """Called when the client has the task's id."""

    def polled(self, task: Task) -> None:
        """Called before each answer to `tasks/get`."""

    def outcome(self, task: Task) -> dict:
        """The result of the call, when the task has completed."""
        return {"content": [{"type": "text", "text": "the task's result"}]}

    def failure(self, task: Task) -> dict:
        return {"code": -32603, "message": "the task broke"}

    # --- wire ---

    def view(self, task: Task) -> dict:
        names = ("ttlMs", "pollIntervalMs") if task.request.modern else ("ttl", "pollInterval")
        head = {"taskId": task.id, "status": task.status, "createdAt": MADE, "lastUpdatedAt": MADE}
        return {**head, names[0]: 60_000, names[1]: POLL_MS}

    def find(self, request: Request) -> Task | None:
        task = self.tasks.get(request.params.get("taskId"))
        if task is None:
            self.fail(request, -32602, "Task not found")
        return task

    def on_tasks_get(self, request: Request) -> None:
        if not (task := self.find(request)):
            return
        task.polls.append(time.monotonic())
        self.polled(task)
        if not self.find_quietly(task):
            self.fail(request, -32602, "Task not found")
            return
        detail = self.view(task)
        if request.modern and task.status == "input_required":
            detail["inputRequests"] = {"q": FORM}
        elif request.modern and task.status == "completed":
            detail["result"] = self.outcome(task)
        elif request.modern and task.status == "failed":
            detail["error"] = self.failure(task)
        self.result(request, detail)

    def find_quietly(self, task: Task) -> bool:
        return task.id in self.tasks

    def on_tasks_result(self, request: Request) -> None:
        if request.modern:
            self.fail(request, -32601, "no method tasks/result")
        elif task := self.find(request):
            task.waiting.append(request)
            self.waited(task)
            self.settle(task)

    def waited(self, task: Task) -> None:
        """Called when `tasks/result` has come (2025-11-25)."""

    def on_tasks_update(self, request: Request) -> None:
        if task := self.find(request):
            task.answers.update(request.params.get("inputResponses") or {})
            self.result(request, {})
            self.updated(task)

    def updated(self, task: Task) -> None:
        """Called when answers have come (2026-07-28)."""

    def on_tasks_cancel(self, request: Request) -> None:
        if task := self.find(request):
            task.status = "cancelled"
            self.result(request, {} if request.modern else self.view(task))
            self.settle(task)

    def become(self, task: Task, status: str) -> None:
        if task.status not in ("completed", "failed", "cancelled"):
            task.status = status
            self.settle(task)

    def settle(self, task: Task) -> None:
        """Answers whoever waits for the result, once there is one."""
        if task.status not in ("completed", "failed", "cancelled"):
            return
        waiting, task.waiting = task.waiting, []
        related = {"_meta": {META + "related-task": {"taskId": task.id}}}
        for request in waiting:
            if task.status == "completed":
                self.result(request, {**self.outcome(task), **related})
            else:
                error = self.failure(task)
                self.fail(request, error["code"], error["message"])


class task_slow(Tasks):
    """`run` works for `ms` milliseconds, then completes; `polls` tells the time between the client's polls."""

    def started(self, task: Task) -> None:
        self.later(task.request.arguments.get("ms", 200), self.become, task, "completed")


class task_fails(Tasks):
    """`run` fails after two polls: with a JSON-RPC error, or with a tool error when `kind` is `tool`."""

    def by_tool(self, task: Task) -> bool:
        return task.request.arguments.get("kind") == "tool"

    def polled(self, task: Task) -> None:
        if len(task.polls) >= 2:
            # A tool error is a failed task in 2025-11-25 and a completed one in 2026-07-28.
            self.become(task, "completed" if self.by_tool(task) and task.request.modern else "failed")

    def waited(self, task: Task) -> None:
        # Whoever waits for the result does not poll: the task must fail by itself.
        self.later(3 * POLL_MS, self.become, task, "failed")

    def outcome(self, task: Task) -> dict:
        return {"content": [{"type": "text", "text": "boom"}], "isError": True}

    def settle(self, task: Task) -> None:
        if task.status == "failed" and self.by_tool(task):
            waiting, task.waiting = task.waiting, []
            for request in waiting:
                self.result(request, self.outcome(task))
        else:
            super().settle(task)


class task_asks(Tasks):
    """`run` asks a form after its first poll (or when its result is waited for), then completes with the answer."""

    def started(self, task: Task) -> None:
        self.later(POLL_MS, self.become, task, "input_required")

    def waited(self, task: Task) -> None:
        if task.question_open or task.status not in ("working", "input_required"):
            return
        task.question_open = True
        task.status = "input_required"
        related = {"_meta": {META + "related-task": {"taskId": task.id}}}
        self.ask(FORM["method"], {**FORM["params"], **related}, lambda reply: self.replied(task, reply))

    def replied(self, task: Task, reply: dict) -> None:
        task.answers["q"] = reply.get("result", reply.get("error"))
        self.become(task, "completed")

    def updated(self, task: Task) -> None:
        if "q" in task.answers:
            self.become(task, "completed")

    def outcome(self, task: Task) -> dict:
        return {"content": [{"type": "text", "text": json.dumps(task.answers.get("q"))}]}


class task_vanishes(Tasks):
    """`run` is forgotten after two polls: its id is unknown from then on, and its result too."""

    def polled(self, task: Task) -> None:
        if len(task.polls) > 2:
            self.tasks.pop(task.id, None)

    def waited(self, task: Task) -> None:
        self.later(3 * POLL_MS, self.vanish, task)

    def vanish(self, task: Task) -> None:
        self.tasks.pop(task.id, None)
        waiting, task.waiting = task.waiting, []
        for request in waiting:
            self.fail(request, -32602, "Task not found")


class task_odd(Tasks):
    """`run` is a task whose `kind` is wrong: no_id, status (an unknown one), fast (polls every 0 ms), null_interval."""

    def view(self, task: Task) -> dict:
        detail = super().view(task)
        kind = task.request.arguments.get("kind")
        interval = "pollIntervalMs" if task.request.modern else "pollInterval"
        if kind == "no_id":
            del detail["taskId"]
        elif kind == "status":
            detail["status"] = "pondering"
        elif kind == "fast":
            detail[interval] = 0
        elif kind == "null_interval":
            detail[interval] = None
        return detail

    def started(self, task: Task) -> None:
        self.later(200, self.become, task, "completed")
