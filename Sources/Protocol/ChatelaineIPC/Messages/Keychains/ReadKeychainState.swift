import ChatelaineModel

/// Asks for the state of a file keychain. The reply is a ``KeychainState``; the errors are those of
/// ``KeychainCommand``.
package struct ReadKeychainState: Sendable, Equatable {
    package let path: String

    package init(path: String) { self.path = path }
}

extension ReadKeychainState: RequestMessage {
    package typealias Reply = KeychainState

    package static let name = "a look at a keychain"
    package static let needs = RequestNeeds.knownCaller

    package var operation: Operation { .keychainState }

    package func encodeFields(to writer: inout CBORWriter) { writer.write(RequestField.path, path) }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        path = try fields.read(RequestField.path)
    }
}

/// The state of a file keychain that exists and can be read.
package struct KeychainState: Hashable, Sendable {
    package var isUnlocked = false
    /// Whether the file and its folder can be written to.
    package var isWritable = true
    /// Whether changes are missing, or may be, and nobody has acknowledged that: the file was copied while the keychain
    /// was in use, or the keychain came back from damage.
    package var mayLackChanges = false

    package init() {}

    /// The state of the system roots, which everybody can read and nobody can write to.
    package static var ofSystemRoots: KeychainState {
        var state = KeychainState()
        (state.isUnlocked, state.isWritable) = (true, false)
        return state
    }

    /// Apple's `SecKeychainStatus`: unlocked 1, readable 2, writable 4.
    package var statusBits: UInt32 { (isUnlocked ? 1 : 0) | 2 | (isWritable ? 4 : 0) }
}

extension KeychainState: CBORValue, ReplyBody {
    private enum Field: UInt64, CBORField {
        case isUnlocked = 0
        case isWritable = 1
        case mayLackChanges = 2
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.isUnlocked, isUnlocked)
            $0.write(Field.isWritable, isWritable)
            $0.write(Field.mayLackChanges, mayLackChanges)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init()
        isUnlocked = try map.read(Field.isUnlocked)
        isWritable = try map.read(Field.isWritable)
        mayLackChanges = try map.read(Field.mayLackChanges)
        reader = try map.end()
    }
}
