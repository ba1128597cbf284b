import ChatelaineModel

/// What can be done with snapshots of the store (`security snapshot`); those that it left, took, made the store or
/// deleted follow. `errSecItemNotFound`.
package enum SnapshotCommand: Sendable, Equatable {
    case list
    /// Takes one now.
    case take
    /// Makes a copy of one the store; what it replaces is kept aside.
    case restore(name: String)
    /// Deletes one, with what it keeps of items that were deleted since.
    case delete(name: String)
    /// Deletes all but the newest few.
    case deleteAll(kept: UInt64)

    /// Whether something is replaced or deleted by it, for which a passcode is wanted where there is one.
    package var isGuarded: Bool {
        switch self {
        case .list, .take: false
        case .restore, .delete, .deleteAll: true
        }
    }
}

extension SnapshotCommand: RequestMessage {
    package typealias Reply = [SnapshotRecord]

    package static let name = "a command about snapshots"
    package static let needs = RequestNeeds.knownCallerIfOpen

    package var operation: Operation {
        switch self {
        case .list: .listSnapshots
        case .take: .takeSnapshot
        case .restore: .restoreSnapshot
        case .delete: .deleteSnapshot
        case .deleteAll: .deleteSnapshots
        }
    }

    package func encodeFields(to writer: inout CBORWriter) {
        switch self {
        case .list, .take: break
        case .restore(let name), .delete(let name): writer.write(RequestField.name, name)
        case .deleteAll(let kept): writer.write(RequestField.number, kept)
        }
    }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        switch operation {
        case .listSnapshots: self = .list
        case .takeSnapshot: self = .take
        case .restoreSnapshot: self = .restore(name: try fields.read(RequestField.name))
        case .deleteSnapshot: self = .delete(name: try fields.read(RequestField.name))
        case .deleteSnapshots: self = .deleteAll(kept: try fields.read(RequestField.number))
        default: throw .unsupported
        }
    }
}
