import ChatelaineModel

/// The mark's record of the daemon's list of programs.
///
/// The list lies beside the store and is authenticated by a key of this store.
extension RowStore {
    /// How often the list had been saved when the mark last recorded the number; 0 without a record.
    package func notedLedgerGeneration() throws(KeychainError) -> UInt64 {
        try writer.withIntegrity { $0.marked.generations.ledger }
    }

    /// Notes in the mark how often the list has been saved.
    ///
    /// The caller calls this when it opens the list and after each save that is on disk. A number smaller than the
    /// noted one means that somebody put an older list back, or removed the list. The store reports that, and notes the
    /// new number only once the report is on disk. Where the mark cannot be written, the next opening notes the number.
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
            // A retired store stays silent: whoever opened the store that replaces it compares the number, too.
            if !isRetired { log(.markFailed(error)) }
        }
    }
}
