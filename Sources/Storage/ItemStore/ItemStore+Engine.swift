import ChatelaineModel
import StoreEngine

/// The members that an item store has in common with every store of the engine.
extension ItemStore {
    /// The file in a store's folder that holds its items.
    package static func database(in folder: String) -> String { RowStore.database(in: folder) }

    /// ``RowStore/needsReopening``
    package var needsReopening: Bool { engine.needsReopening }
    /// ``RowStore/isDamaged``
    package var isDamaged: Bool { engine.isDamaged }
    /// ``RowStore/isRetired``
    package var isRetired: Bool { engine.isRetired }
    /// ``RowStore/retire()``
    package func retire() {
        readyKeys.close()
        engine.retire()
        wakeKeeper()
    }
    /// ``RowStore/close()``
    package func close() throws(KeychainError) {
        readyKeys.close()
        defer { wakeKeeper() }
        try engine.close()
    }

    // MARK: Beside the rows

    /// ``RowStore/sequence()``
    package func sequence() throws(KeychainError) -> UInt64 { try engine.sequence() }

    /// ``RowStore/properties()``
    package func properties() throws(KeychainError) -> StoreProperties { try engine.properties() }
    /// ``RowStore/write(_:)``
    package func write(_ properties: StoreProperties) throws(KeychainError) { try engine.write(properties) }
    /// Copies the whole store into an empty file; the copy is on disk when it returns.
    package func copy(to path: String) throws(KeychainError) { try engine.copy(to: path) }
    /// ``RowStore/settleLog()``
    package func settleLog() throws(KeychainError) -> Bool { try engine.settleLog() }

    // MARK: Recovery

    /// ``RowStore/isRecovering``
    package var isRecovering: Bool { engine.isRecovering }
    /// ``RowStore/recoveryPause``
    package var recoveryPause: UInt32 { engine.recoveryPause }
    /// ``RowStore/continueRecovery()``
    package func continueRecovery() throws(KeychainError) -> Bool { try engine.continueRecovery() }

    // MARK: Keys that were replaced

    /// ``RowStore/continueResealing()``
    package func continueResealing() throws(KeychainError) -> Bool { try engine.continueResealing() }
    /// ``RowStore/resealingPause``
    package var resealingPause: UInt32 { engine.resealingPause }
    /// ``RowStore/resealingProgress()``
    package func resealingProgress() -> ResealingProgress? { engine.resealingProgress() }

    // MARK: Losses

    /// ``RowStore/losses()``
    package func losses() throws(KeychainError) -> [LossReport] { try engine.losses() }
    /// ``RowStore/acknowledgeLosses()``
    package func acknowledgeLosses() throws(KeychainError) -> LossReport? { try engine.acknowledgeLosses() }
    /// ``RowStore/noteMissingChanges()``
    package func noteMissingChanges() throws(KeychainError) { try engine.noteMissingChanges() }
    /// ``RowStore/verifyRows()``
    @discardableResult
    package func verifyRows() throws(KeychainError) -> [RowAlteration] { try engine.verifyRows() }
    /// ``RowStore/wasWrittenFromOutside()``
    package func wasWrittenFromOutside() -> Bool { engine.wasWrittenFromOutside() }
    /// ``RowStore/notedLedgerGeneration()``
    package func notedLedgerGeneration() throws(KeychainError) -> UInt64 { try engine.notedLedgerGeneration() }
    /// ``RowStore/noteLedger(generation:)``
    package func noteLedger(generation: UInt64) { engine.noteLedger(generation: generation) }

    // MARK: Upkeep

    /// ``RowStore/forgetAnswers()``
    package func forgetAnswers() throws(KeychainError) { try engine.forgetAnswers() }
    /// ``RowStore/takeSnapshot(_:)``
    package func takeSnapshot(_ reason: SnapshotReason) throws(KeychainError) -> Snapshot {
        try engine.takeSnapshot(reason)
    }
    /// ``RowStore/takeSnapshotIfDue(isNeededHere:)``
    package func takeSnapshotIfDue(isNeededHere: Bool = false) { engine.takeSnapshotIfDue(isNeededHere: isNeededHere) }
}

extension StoreSnapshots {
    /// The snapshots of a store of items.
    ///
    /// - Parameters:
    ///   - folder: the folder of the store.
    ///   - mark: as for the store itself.
    package init(folder: String, mark: String? = nil, clock: StoreClock = .system) {
        self.init(folder: folder, mark: mark, schema: StoreSchema.items, clock: clock)
    }

    /// The snapshots of a file keychain.
    package init(ofKeychain folder: String, mark: String, clock: StoreClock) {
        self.init(folder: folder, mark: mark, schema: StoreSchema.fileKeychain, clock: clock)
    }

    /// ``prepare(_:kind:)``
    package func prepare(_ name: String, keys source: any StoreKeySource) throws(KeychainError) -> Draft {
        try prepare(name, kind: ItemKind(source: source))
    }

    /// ``activate(_:replacing:log:)``
    package func activate(
        _ draft: Draft, replacing present: ItemStore?, log: @escaping @Sendable (StoreEvent) -> Void
    ) throws(KeychainError) -> Restoration {
        try activate(draft, replacing: present?.engine, log: log)
    }
}
