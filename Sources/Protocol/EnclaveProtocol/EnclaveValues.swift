import ChatelaineMemory
import ChatelaineModel
import Sealing

/// A key that seals the attributes of one protection class, 32 bytes.
package struct MetadataKey: Sendable {
    package var id: UInt32
    package var key: SecretBytes
    /// How many seals the holder may make before it must ask for a key again; 0 for a key that only opens.
    package var sealsGranted: UInt32

    package init(id: UInt32, key: SecretBytes, sealsGranted: UInt32) {
        self.id = id
        self.key = key
        self.sealsGranted = sealsGranted
    }
}

/// A new key for one version of one secret, 32 bytes, and its wrapping, which is stored.
package struct NewRowKey: Sendable {
    package var classKeyID: UInt32
    package var key: SecretBytes
    package var wrapped: [UInt8]
    /// The constraints of the row, with the biometrics enrolled now. The key is bound to them, and so is what it seals.
    package var constraints: AccessConstraints?

    package init(classKeyID: UInt32, key: SecretBytes, wrapped: [UInt8], constraints: AccessConstraints? = nil) {
        self.classKeyID = classKeyID
        self.key = key
        self.wrapped = wrapped
        self.constraints = constraints
    }
}

/// A stored row key to unwrap.
package struct WrappedRowKey: Sendable {
    package var classKeyID: UInt32
    package var wrapped: [UInt8]
    package var context: RowContext

    package init(classKeyID: UInt32, wrapped: [UInt8], context: RowContext) {
        self.classKeyID = classKeyID
        self.wrapped = wrapped
        self.context = context
    }
}

/// The custodian's report about itself.
package struct EnclaveReport: Hashable, Sendable {
    package var backend: String
    package var isUnlocked: Bool
    package var hasPasscode: Bool
    package var isDumpable: Bool
    package var lockedBytes: UInt64
    package var unlockedBytes: UInt64
    /// The number of class keys in all open stores.
    package var classKeys: UInt32

    package init(
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
