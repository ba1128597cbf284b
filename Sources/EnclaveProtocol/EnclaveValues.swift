import ChatelaineMemory
import ChatelaineModel
import Sealing

/// A key that seals the attributes of one protection class, 32 bytes.
public struct MetadataKey: Sendable {
    public var id: UInt32
    public var key: SecretBytes
    /// How many seals the holder may make before it must ask again; 0 for a key that only opens.
    public var sealsGranted: UInt32

    public init(id: UInt32, key: SecretBytes, sealsGranted: UInt32) {
        self.id = id
        self.key = key
        self.sealsGranted = sealsGranted
    }
}

/// A fresh key for one version of one secret, 32 bytes, and its wrapping, which is what is stored.
public struct NewRowKey: Sendable {
    public var classKeyID: UInt32
    public var key: SecretBytes
    public var wrapped: [UInt8]

    public init(classKeyID: UInt32, key: SecretBytes, wrapped: [UInt8]) {
        self.classKeyID = classKeyID
        self.key = key
        self.wrapped = wrapped
    }
}

/// A stored row key that is to be unwrapped.
public struct WrappedRowKey: Sendable {
    public var classKeyID: UInt32
    public var wrapped: [UInt8]
    public var context: RowContext

    public init(classKeyID: UInt32, wrapped: [UInt8], context: RowContext) {
        self.classKeyID = classKeyID
        self.wrapped = wrapped
        self.context = context
    }
}

/// What the key custodian says about itself.
public struct EnclaveReport: Hashable, Sendable {
    public var backend: String
    public var isUnlocked: Bool
    public var hasPasscode: Bool
    public var isDumpable: Bool
    public var lockedBytes: UInt64
    public var unlockedBytes: UInt64
    /// Of all open stores.
    public var classKeys: UInt32

    public init(
        backend: String, isUnlocked: Bool, hasPasscode: Bool, isDumpable: Bool, lockedBytes: UInt64,
        unlockedBytes: UInt64, classKeys: UInt32
    ) {
        self.backend = backend
        self.isUnlocked = isUnlocked
        self.hasPasscode = hasPasscode
        self.isDumpable = isDumpable
        self.lockedBytes = lockedBytes
        self.unlockedBytes = unlockedBytes
        self.classKeys = classKeys
    }
}
