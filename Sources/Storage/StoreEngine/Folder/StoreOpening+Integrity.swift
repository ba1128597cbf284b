import ChatelaineModel

/// What an opening finds out by comparing head record, mark and keybag: whether the store is the one that it was.
///
/// All of it costs the same for a store of any size. What it cannot see, single rows that were changed, a pass through all rows
/// does (``RowStore/verifyRows()``).
extension StoreOpening {
    /// What was found, and with what the store goes on.
    private struct Course {
        var sequence: UInt64
        var previous: Bytes16
        /// Nil where the rows have to be gone through, since nothing says what they come to.
        var rows: RowMultisetHash?
        var isNewEpoch: Bool
        /// Changes that are known to be missing: what the mark says, and what the database.
        var missing: (marked: UInt64, found: UInt64)?
    }

    /// Compares, reports, and begins a new history where the old one is not gone on with. Nothing is refused for it.
    static func integrity(
        _ writer: StoreWriter, _ places: StorePlaces, _ schema: RowSchema, _ head: Head, _ keys: StoreSecrets,
        _ recovery: Recovery?, clock: StoreClock, log: (StoreEvent) -> Void
    ) throws(KeychainError) -> StoreIntegrity {
        let secrets = try IntegrityKeys(keys, schema.layout)
        let sealed = try writer.withConnection { (handle) throws(KeychainError) -> [UInt8] in
            let statement = try PreparedStatement(handle, EngineStatement.head.sql(for: schema.layout))
            return try statement.step() ? statement.bytes(1) : []
        }
        let opened = sealed.withUnsafeBytes { secrets.open($0, of: head.store) }
        let mark = try HighWaterMark.find(places, secrets)
        var inspection = Inspection(head, opened, sealed, mark, keys, recovery: recovery?.base ?? 0)
        inspection.run()
        try tell(inspection, writer, places, clock: clock, log: log)
        var state = HighWaterMark.State(
            store: head.store, epoch: IntegrityHead.noEpoch, sequence: 0, head: IntegrityHead.noEpoch)
        if case .state(let found) = mark, found.store == head.store { state.generations = found.generations }
        state.generations.keybag = keys.keybagGeneration
        let (current, written) = try begin(inspection, opened, sealed, secrets, writer, clock: clock, log: log)
        (state.epoch, state.sequence, state.head) = (current.epoch, current.sequence, written.tag)
        // The file first, then the mark: it is never ahead of a store that lost nothing.
        let highWater = try HighWaterMark.open(places, secrets, state)
        try StoreFolder.removeEarlierMark(places)
        return StoreIntegrity(secrets, head.store, current, written, highWater)
    }

    /// What has to be told of, in the order in which it is found.
    private struct Inspection {
        let head: Head
        let opened: IntegrityHead?
        let sealed: [UInt8]
        let mark: HighWaterMark.Finding
        let keys: StoreSecrets
        /// The number with which the recovery began that is not done, or 0.
        let recovery: UInt64

        var events: [StoreEvent] = []
        /// Whether something is there or missing that no change of ours made so.
        var isDoubtful = false
        /// The number of the last change that the mark knows of, where that is ahead.
        var marked: UInt64?
        /// The number of the last change that the database proves to have, or else says.
        let reached: UInt64

        init(
            _ head: Head, _ opened: IntegrityHead?, _ sealed: [UInt8], _ mark: HighWaterMark.Finding,
            _ keys: StoreSecrets,
            recovery: UInt64
        ) {
            self.head = head
            self.opened = opened
            self.sealed = sealed
            self.mark = mark
            self.keys = keys
            self.recovery = recovery
            // A number that no seal confirms may be any, and must not use up those that are left.
            reached = opened?.sequence ?? min(head.sequence, HighWaterMark.highestClaim)
        }

        mutating func run() {
            lookAtHead()
            switch mark {
            case .state(let state): compare(state)
            case .earlier(let marked, let store) where !keys.isMarked && store == head.store:
                if marked > reached { self.marked = marked }
            case .earlier(_, let store) where store != head.store: doubt(.markOfAnotherStore)
            case .earlier, .missing:
                if keys.isMarked {
                    doubt(.markMissing)
                } else if reached > 0, opened == nil {
                    events.append(.markMissing)
                }
            case .damaged:
                if keys.isMarked { doubt(.markDamaged) } else { events.append(.markDamaged) }
            }
        }

        private mutating func lookAtHead() {
            if let opened {
                if opened.sequence != head.sequence || opened.recovery != recovery { doubt(.headAltered) }
            } else if keys.isMarked, !head.isNew {
                doubt(.headAltered)
            }
        }

        private mutating func compare(_ state: HighWaterMark.State) {
            guard state.store == head.store else { return doubt(.markOfAnotherStore) }
            if state.generations.keybag > keys.keybagGeneration { doubt(.olderFile("keybag")) }
            guard state.sequence <= reached else {
                marked = state.sequence
                return
            }
            guard let opened else { return }
            let isSame =
                opened.epoch == state.epoch
                ? state.sequence < reached || sealed.suffix(Bytes16.count).elementsEqual(state.head.array)
                : opened.previous == state.epoch
            if !isSame { doubt(.otherHistory) }
        }

        private mutating func doubt(_ event: StoreEvent) {
            events.append(event)
            isDoubtful = true
        }

        /// The number with which the store goes on.
        var next: UInt64 {
            if let marked { return marked + 1 }
            return isDoubtful ? reached + 1 : reached
        }
    }

    /// Logs and remembers what was found: before the number goes on, which is what keeps the next opening from noticing.
    private static func tell(
        _ inspection: Inspection, _ writer: StoreWriter, _ places: StorePlaces, clock: StoreClock,
        log: (StoreEvent) -> Void
    ) throws(KeychainError) {
        for event in inspection.events {
            log(event)
            if let line = event.listed { list(line, [], places, clock, log) }
        }
        let sinceDate = try lastChange(writer).map { Double($0) * StoreClock.secondsPerHour }
        if let marked = inspection.marked {
            log(.changesLost(marked: marked, found: inspection.reached))
            var report = LossReport(
                cause: .markAhead, found: clock.now(), base: inspection.next, changes: marked - inspection.reached,
                since: inspection.reached)
            report.sinceDate = sinceDate
            let numbers: [(name: String, value: LossList.Value)] = [
                ("marked", .number(Int64(clamping: marked))), ("found", .number(Int64(clamping: inspection.reached))),
            ]
            list(.changesLost, numbers + report.listed, places, clock, log)
            try UnacknowledgedLosses(places, clock: clock).put(report)
        }
        if inspection.isDoubtful {
            var report = LossReport(
                cause: .history, found: clock.now(), base: inspection.next, changes: nil, since: inspection.reached)
            report.sinceDate = sinceDate
            list(.changesMissing, report.listed, places, clock, log)
            try UnacknowledgedLosses(places, clock: clock).put(report)
        }
    }

    /// The head record with which the store goes on, and its seal; written where they are other than those that are there.
    private static func begin(
        _ inspection: Inspection, _ opened: IntegrityHead?, _ sealed: [UInt8], _ secrets: IntegrityKeys,
        _ writer: StoreWriter, clock: StoreClock, log: (StoreEvent) -> Void
    ) throws(KeychainError) -> (IntegrityHead, SealedHead) {
        if let opened, !inspection.isDoubtful, inspection.marked == nil { return (opened, SealedHead(bytes: sealed)) }
        var previous = opened?.epoch ?? IntegrityHead.noEpoch
        if case .state(let state) = inspection.mark, state.store == inspection.head.store { previous = state.epoch }
        let begun = try writer.prepare { (statements) throws(KeychainError) -> (IntegrityHead, SealedHead) in
            let rows = if let opened { opened.rows } else { try secrets.authenticator.rows(statements) }
            let next = IntegrityHead(
                after: previous, sequence: inspection.next, recovery: inspection.recovery,
                owed: opened.flatMap { $0.recovery == inspection.recovery ? $0.owed : nil }, rows: rows)
            let sealed = try secrets.seal(next, of: inspection.head.store)
            try StoreIntegrity.write(next.sequence, sealed, statements)
            if let marked = inspection.marked {
                let noting = try statements[.noteLoss]
                for (index, number) in [
                    clock.hour, Int64(clamping: marked), Int64(clamping: inspection.reached),
                ].enumerated() { noting.bind(Int32(1 + index), number) }
                try noting.run()
            }
            return (next, sealed)
        }
        if opened != nil { log(.epochBegun(sequence: begun.0.sequence)) }
        let count = begun.0.rows.count
        if opened == nil, count > 0 { log(.takenIn(rows: count)) }
        return begun
    }
}
