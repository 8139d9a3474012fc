-- CreateTable
CREATE TABLE "Task" (
    "number" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "taskId" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "reason" TEXT,
    "needsAttention" BOOLEAN NOT NULL DEFAULT false,
    "owner" TEXT NOT NULL,
    "agent" TEXT NOT NULL,
    "prompt" TEXT,
    "cwd" TEXT,
    "environment" TEXT,
    "priority" INTEGER NOT NULL DEFAULT 0,
    "parentId" TEXT,
    "labels" TEXT NOT NULL,
    "webhook" TEXT,
    "bodyHash" TEXT NOT NULL,
    "sequence" INTEGER NOT NULL DEFAULT 0,
    "currentSessionId" TEXT,
    "createdAt" TEXT NOT NULL,
    "updatedAt" TEXT NOT NULL,
    "endedAt" TEXT,
    "statusSince" TEXT NOT NULL
);

-- CreateTable
CREATE TABLE "SessionRecord" (
    "sessionId" TEXT NOT NULL PRIMARY KEY,
    "taskId" TEXT NOT NULL,
    "run" INTEGER NOT NULL,
    "epoch" INTEGER NOT NULL DEFAULT 1,
    "hostId" TEXT NOT NULL,
    "backend" TEXT NOT NULL,
    "lastStatus" TEXT NOT NULL,
    "exit" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "notAfter" TEXT,
    "startedAt" TEXT,
    "endedAt" TEXT,
    "endedSince" TEXT,
    CONSTRAINT "SessionRecord_taskId_fkey" FOREIGN KEY ("taskId") REFERENCES "Task" ("taskId") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "LaunchReservation" (
    "taskId" TEXT NOT NULL PRIMARY KEY,
    "token" TEXT NOT NULL,
    "reservedAt" TEXT NOT NULL,
    CONSTRAINT "LaunchReservation_taskId_fkey" FOREIGN KEY ("taskId") REFERENCES "Task" ("taskId") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "OutboxEvent" (
    "position" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "eventId" TEXT NOT NULL,
    "taskId" TEXT,
    "sequence" INTEGER,
    "subject" TEXT NOT NULL,
    "fact" TEXT,
    "body" TEXT NOT NULL,
    "publishedAt" TEXT
);

-- CreateTable
CREATE TABLE "InboxSeen" (
    "source" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "seenAt" TEXT NOT NULL,

    PRIMARY KEY ("source", "id")
);

-- CreateTable
CREATE TABLE "IdempotencyKey" (
    "scope" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "bodyHash" TEXT NOT NULL,
    "taskId" TEXT NOT NULL,
    "usedAt" TEXT NOT NULL,

    PRIMARY KEY ("scope", "key")
);

-- CreateIndex
CREATE UNIQUE INDEX "Task_taskId_key" ON "Task"("taskId");

-- CreateIndex
CREATE INDEX "Task_status_idx" ON "Task"("status");

-- CreateIndex
CREATE INDEX "Task_owner_idx" ON "Task"("owner");

-- CreateIndex
CREATE INDEX "Task_parentId_idx" ON "Task"("parentId");

-- CreateIndex
CREATE INDEX "SessionRecord_lastStatus_idx" ON "SessionRecord"("lastStatus");

-- CreateIndex
CREATE UNIQUE INDEX "SessionRecord_taskId_run_key" ON "SessionRecord"("taskId", "run");

-- CreateIndex
CREATE UNIQUE INDEX "OutboxEvent_eventId_key" ON "OutboxEvent"("eventId");

-- CreateIndex
CREATE INDEX "OutboxEvent_publishedAt_position_idx" ON "OutboxEvent"("publishedAt", "position");

-- CreateIndex
CREATE UNIQUE INDEX "OutboxEvent_taskId_sequence_key" ON "OutboxEvent"("taskId", "sequence");
