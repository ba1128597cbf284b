import ChatelaineModel

/// The comparison of head record, mark and keybag at an opening, which shows whether the store is the one that it was.
///
/// Its cost does not depend on the size of the store. It cannot see single altered rows; a pass through all rows does
/// (``RowStore/verifyRows()``).
extension StoreOpening {
    /// Compares and reports; begins a new history where the old one ended.
    ///
    /// No finding prevents the opening.
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
        var inspection = Inspection(
            head, opened, sealed, mark, keys, isAlwaysSealed: schema.isAlwaysSealed, recovery: recovery?.base ?? 0)
        inspection.run()
        try tell(inspection, writer, places, clock: clock, log: log)
        var state = HighWaterMark.State(
            store: head.store, epoch: IntegrityHead.noEpoch, sequence: 0, head: IntegrityHead.noEpoch)
        if case .state(let found) = mark, found.store == head.store { state.generations = found.generations }
        state.generations.keybag = keys.keybagGeneration
        let (current, written) = try begin(inspection, opened, sealed, secrets, writer, clock: clock, log: log)
        (state.epoch, state.sequence, state.head) = (current.epoch, current.sequence, written.tag)
        // The database is written before the mark, which is never ahead of a store that lost nothing.
        let highWater = try HighWaterMark.open(places, secrets, state)
        try StoreFolder.removeEarlierMark(places)
        return StoreIntegrity(secrets, head.store, current, written, highWater)
    }

    /// The findings of an opening, in their order.
    private struct Inspection {
        let head: Head
        let opened: IntegrityHead?
        let sealed: [UInt8]
        let mark: HighWaterMark.Finding
        let keys: StoreSecrets
        /// Whether the format has had a head record from its first version on.
        let isAlwaysSealed: Bool
        /// The base of the recovery that is not finished, or 0.
        let recovery: UInt64

        var events: [StoreEvent] = []
        /// Whether the store's own changes do not explain its state.
        var isDoubtful = false
        /// The number of the last change in the mark, where it is ahead of the database.
        var marked: UInt64?
        /// The number of the last change that the seal proves, or else that the database claims.
        let reached: UInt64

        init(
            _ head: Head, _ opened: IntegrityHead?, _ sealed: [UInt8], _ mark: HighWaterMark.Finding,
            _ keys: StoreSecrets, isAlwaysSealed: Bool, recovery: UInt64
        ) {
            self.head = head
            self.opened = opened
            self.sealed = sealed
            self.mark = mark
            self.keys = keys
            self.isAlwaysSealed = isAlwaysSealed
            self.recovery = recovery
            // A number without a seal may be anything, and must not use up the remaining numbers.
            reached = opened?.sequence ?? min(head.sequence, HighWaterMark.highestStart)
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
            case .damaged where keys.isMarked: doubt(.markDamaged)
            // The whole folder of a store is gone, as with a disk that is not mounted: its mark has other keys.
            case .damaged where head.isNew: doubt(.markOfAnotherStore)
            case .damaged: events.append(.markDamaged)
            }
        }

        private mutating func lookAtHead() {
            if let opened {
                if opened.sequence != head.sequence || opened.recovery != recovery { doubt(.headAltered) }
            } else if keys.isMarked || isAlwaysSealed, !head.isNew {
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

    /// Logs and records the findings, before the number goes on: afterwards the next opening would not notice them.
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

    /// The head record with which the store goes on, and its seal; a new one is written where the present one is not
    /// kept.
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
