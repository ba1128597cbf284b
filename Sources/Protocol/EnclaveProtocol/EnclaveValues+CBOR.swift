import ChatelaineMemory
import ChatelaineModel
import Sealing

extension WrappedRowKey: CBORValue {
    private enum Field: UInt64, CBORField {
        case classKeyID = 0
        case wrapped = 1
        case context = 2
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.classKeyID, classKeyID)
            $0.write(Field.wrapped, wrapped)
            $0.write(Field.context, context)
        }
    }

    /// Accepts a wrapping of any length: a damaged one is a failure of that key, not of the message.
    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(
            classKeyID: try map.read(Field.classKeyID), wrapped: try map.read(Field.wrapped),
            context: try map.read(Field.context))
        reader = try map.end()
    }
}

extension NewRowKey: CBORValue, EnclaveReplyElement {
    package static let replyKind = EnclaveReplyKind.newRowKeys

    private enum Field: UInt64, CBORField {
        case classKeyID = 0
        case key = 1
        case wrapped = 2
        case constraints = 3
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.classKeyID, classKeyID)
            $0.write(Field.key, key)
            $0.write(Field.wrapped, wrapped)
            $0.write(Field.constraints, constraints)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        let classKeyID: UInt32 = try map.read(Field.classKeyID)
        try map.find(Field.key)
        let key = try map.reader.readKeyBytes()
        let wrapped: [UInt8] = try map.read(Field.wrapped)
        self.init(
            classKeyID: classKeyID, key: key, wrapped: wrapped, constraints: try map.readIfPresent(Field.constraints))
        reader = try map.end()
    }
}

extension RowContext: CBORValue {
    private enum Field: UInt64, CBORField {
        case store = 0
        case row = 1
        case version = 2
        case itemClass = 3
        case accessibility = 4
        case flags = 5
        case groupDigest = 6
        case constraints = 7
        case keyCustody = 8
    }

    private static let synchronizableFlag: UInt64 = 1
    private static let tombstoneFlag: UInt64 = 2

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.store, store)
            $0.write(Field.row, row)
            $0.write(Field.version, version)
            $0.write(Field.itemClass, itemClass)
            $0.write(Field.accessibility, accessibility)
            $0.write(
                Field.flags, (isSynchronizable ? Self.synchronizableFlag : 0) | (isTombstone ? Self.tombstoneFlag : 0))
            $0.write(Field.groupDigest, groupDigest)
            $0.write(Field.constraints, constraints)
            $0.write(Field.keyCustody, keyCustody)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        let store: StoreIdentifier = try map.read(Field.store)
        let row: ItemIdentifier = try map.read(Field.row)
        let version: UInt64 = try map.read(Field.version)
        let itemClass: ItemClass = try map.read(Field.itemClass)
        let accessibility: Accessibility = try map.read(Field.accessibility)
        let flags: UInt64 = try map.read(Field.flags)
        guard flags <= Self.synchronizableFlag | Self.tombstoneFlag else { throw .outOfRange }
        self.init(
            store: store, row: row, version: version, itemClass: itemClass, accessibility: accessibility,
            isSynchronizable: flags & Self.synchronizableFlag != 0, isTombstone: flags & Self.tombstoneFlag != 0,
            groupDigest: try map.read(Field.groupDigest), constraints: try map.readIfPresent(Field.constraints),
            keyCustody: try map.readIfPresent(Field.keyCustody))
        reader = try map.end()
    }
}

// MARK: Values whose fields are those of a reply

extension MetadataKey: EnclaveReply {
    package static let kind = EnclaveReplyKind.metadataKey

    private enum Field: UInt64, CBORField {
        case id = 2
        case key = 3
        case sealsGranted = 4
    }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(Field.id, id)
        writer.write(Field.key, key)
        writer.write(Field.sealsGranted, sealsGranted)
    }

    package init(fields map: inout CBORMap) throws(CBORError) {
        let id: UInt32 = try map.read(Field.id)
        try map.find(Field.key)
        let key = try map.reader.readKeyBytes()
        self.init(id: id, key: key, sealsGranted: try map.read(Field.sealsGranted))
    }
}

extension StoreKeyPurpose: CBORField {}

extension StoreKeys: EnclaveReply {
    package static let kind = EnclaveReplyKind.store

    private enum Field: UInt64, CBORField {
        case keybag = 2
        case keys = 3
        case keybagGeneration = 4
        case isMarked = 5
    }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(Field.keybag, keybag)
        writer.begin(Field.keys)
        writer.writeMap { for purpose in StoreKeyPurpose.allCases { $0.write(purpose, self[purpose]) } }
        writer.write(Field.keybagGeneration, keybagGeneration)
        writer.write(Field.isMarked, isMarked)
    }

    package init(fields map: inout CBORMap) throws(CBORError) {
        let keybag: KeybagIdentifier = try map.read(Field.keybag)
        try map.find(Field.keys)
        var keys = try CBORMap(map.reader)
        try self.init(keybag: keybag) { (purpose) throws(CBORError) in
            try keys.find(purpose)
            return try keys.reader.readKeyBytes()
        }
        map.reader = try keys.end()
        keybagGeneration = try map.read(Field.keybagGeneration)
        isMarked = try map.read(Field.isMarked)
    }
}

extension EnclaveReport: EnclaveReply {
    package static let kind = EnclaveReplyKind.report

    private enum Field: UInt64, CBORField {
        case backend = 2
        case isUnlocked = 3
        case hasPasscode = 4
        case isDumpable = 5
        case lockedBytes = 6
        case unlockedBytes = 7
        case classKeys = 8
    }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(Field.backend, EnclaveWire.fitting(backend, limit: EnclaveWire.maximumNameBytes))
        writer.write(Field.isUnlocked, isUnlocked)
        writer.write(Field.hasPasscode, hasPasscode)
        writer.write(Field.isDumpable, isDumpable)
        writer.write(Field.lockedBytes, lockedBytes)
        writer.write(Field.unlockedBytes, unlockedBytes)
        writer.write(Field.classKeys, classKeys)
    }

    package init(fields map: inout CBORMap) throws(CBORError) {
        try map.find(Field.backend)
        let backend = try map.reader.readText(limit: EnclaveWire.maximumNameBytes)
        self.init(
            backend: backend, isUnlocked: try map.read(Field.isUnlocked), hasPasscode: try map.read(Field.hasPasscode),
            isDumpable: try map.read(Field.isDumpable), lockedBytes: try map.read(Field.lockedBytes),
            unlockedBytes: try map.read(Field.unlockedBytes), classKeys: try map.read(Field.classKeys))
    }
}

extension CBORReader {
    /// Reads a key of ``EnclaveWire/keyByteCount`` bytes.
    mutating func readKeyBytes() throws(CBORError) -> SecretBytes {
        let bytes = try readBytes()
        guard bytes.count == EnclaveWire.keyByteCount else { throw .outOfRange }
        return SecretBytes(copying: bytes)
    }
}
