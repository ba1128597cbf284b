import ChatelaineModel

/// What the mark remembers of the daemon's list of programs, which lies beside it and has a key of this store's.
extension RowStore {
    /// How often the list had been saved when that was noted last; 0 where it never was.
    package func notedLedgerGeneration() throws(KeychainError) -> UInt64 {
        try writer.withIntegrity { $0.marked.generations.ledger }
    }

    /// Notes how often the list has been saved: at an opening, and after each time, once it is on disk.
    ///
    /// Fewer times than before is an older list that somebody put back, or none: that is reported, and remembered only once the
    /// report is on disk. Where the mark cannot be written, the next opening notes it.
    package func noteLedger(generation: UInt64) {
        do throws(KeychainError) {
            if generation < (try notedLedgerGeneration()) {
                let event = StoreEvent.olderFile("list of programs")
                log(event)
                let report = LossReport(
                    cause: .history, found: clock.now(), base: try sequence(), changes: nil, since: try sequence())
                if let line = event.listed { try lossList.append([(line, [])]) }
                try unacknowledged.put(report)
            }
            try writer.withIntegrity { (integrity) throws(KeychainError) in
                try integrity.note { $0.ledger = generation }
            }
        } catch {
            // Another store is in use: whoever opened it compares, too.
            if !isRetired { log(.markFailed(error)) }
        }
    }
}
