import ChatelaineModel
import Sealing

/// What securityd asks of the key custodian. Each request lists the statuses it can fail with besides
/// `errSecInternalComponent` (the custodian's state is damaged) and `errSecNotAvailable` (its disk or memory failed).
///
/// A request about a store names it, and is `errSecParam` where that store is not open: which one is meant depends neither
/// on the channel nor on what was asked before.
package enum EnclaveRequest: Sendable {
    /// Opens the keybag of a store; ``EnclaveReply/store(_:)``. A keybag is made only where `isEmpty` is true.
    ///
    /// `errSecNotAvailable` when the keybag of a store with rows is missing, or as many stores are open as may be.
    case openStore(StoreIdentifier, isEmpty: Bool)
    /// Lets go of a store's keybag and wipes its keys; ``EnclaveReply/done``, also where it is not open.
    case closeStore(StoreIdentifier)
    /// The metadata key with which to seal now; ``EnclaveReply/metadataKey(_:)``.
    ///
    /// `errSecInteractionNotAllowed` when the class is locked, `errSecAuthFailed` for the passcode class without a
    /// passcode.
    case metadataKeyForSealing(Accessibility, in: StoreIdentifier)
    /// The metadata key of an id, to open with; ``EnclaveReply/metadataKey(_:)``.
    ///
    /// As above, and `errSecDecode` for an id that the keybag does not know, which is damage.
    case metadataKey(id: UInt32, in: StoreIdentifier)
    /// Fresh row keys, wrapped for their rows; ``EnclaveReply/newRowKeys(_:)``. Statuses as for sealing.
    case createRowKeys([RowContext], in: StoreIdentifier)
    /// Unwraps row keys; ``EnclaveReply/rowKeys(_:)``, in which each key has a result of its own.
    case openRowKeys([WrappedRowKey], in: StoreIdentifier)
    /// ``EnclaveReply/report(_:)``.
    case report
    /// The descriptor that comes with this message becomes one more channel; ``EnclaveReply/done``.
    case openChannel
    /// ``EnclaveReply/sandbox(_:)``.
    case sandbox
    /// The store has a mark and a sealed head record from now on, so that they are missed where they are not there;
    /// ``EnclaveReply/done``, once the keybag says so on disk.
    case noteMark(StoreIdentifier)

    /// The store that is asked about; nil for the custodian as a whole.
    package var store: StoreIdentifier? {
        switch self {
        case .openStore(let store, _), .closeStore(let store), .metadataKeyForSealing(_, let store),
            .metadataKey(_, let store), .createRowKeys(_, let store), .openRowKeys(_, let store), .noteMark(let store):
            store
        case .report, .openChannel, .sandbox: nil
        }
    }

    /// Row keys in one request: a batch of a listing, and 4 MiB of arena at the most.
    package static let maximumBatch = 256
}
