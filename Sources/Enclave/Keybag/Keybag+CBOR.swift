import ChatelaineMemory
import ChatelaineModel
import Sealing

/// The body of a keybag file, version 2, and how version 1 had it (`Documentation/formats/keybag.md`). Read only after it is authenticated.
extension Keybag {
    func encodeBody(to writer: inout CBORWriter) {
        writer.writeMap(count: 7)
        writer.write(UInt64(0)); writer.write(created)
        writer.write(UInt64(1)); writer.write(changed)
        writer.write(UInt64(2)); writer.write(UInt64(nextKeyID))
        writer.write(UInt64(3)); writer.writeArray(count: keys.count)
        for key in keys { key.encode(to: &writer) }
        writer.write(UInt64(4)); writer.writeArray(count: destroyed.count)
        for id in destroyed { writer.write(UInt64(id)) }
        writer.write(UInt64(5)); writer.write(generation)
        writer.write(UInt64(6)); writer.write(isMarked)
    }

    init(
        body: UnsafeRawBufferPointer, version: UInt64, id: KeybagIdentifier, store: StoreIdentifier
    ) throws(CBORError) {
        var reader = CBORReader(body)
        try reader.beginMap(of: version == 1 ? 5 : 7)
        try reader.expectKey(0)
        let created = try reader.readInteger()
        try reader.expectKey(1)
        let changed = try reader.readInteger()
        try reader.expectKey(2)
        let nextKeyID = try reader.readID()
        try reader.expectKey(3)
        var keys: [KeybagKey] = []
        for _ in 0..<(try reader.readArrayCount(limit: Self.maximumKeys)) {
            keys.append(try KeybagKey(from: &reader))
        }
        try reader.expectKey(4)
        var destroyed: [UInt32] = []
        for _ in 0..<(try reader.readArrayCount(limit: Self.maximumKeys)) { destroyed.append(try reader.readID()) }
        self.init(
            id: id, store: store, created: created, changed: changed, nextKeyID: nextKeyID, keys: keys,
            destroyed: destroyed)
        if version > 1 {
            try reader.expectKey(5)
            generation = try reader.readUnsigned()
            try reader.expectKey(6)
            isMarked = try reader.readBool()
        }
        try reader.finish()
        guard isConsistent else { throw .outOfRange }
    }
}

extension KeybagKey {
    func encode(to writer: inout CBORWriter) {
        writer.writeMap(count: 8)
        writer.write(UInt64(0)); writer.write(UInt64(id))
        writer.write(UInt64(1)); writer.write(UInt64(kind.rawValue))
        writer.write(UInt64(2)); writer.write(UInt64(accessibility.rawValue))
        writer.write(UInt64(3)); writer.write(UInt64(parent))
        writer.write(UInt64(4)); writer.write(wrapped)
        writer.write(UInt64(5)); writer.write(sealsReserved)
        writer.write(UInt64(6)); writer.write(created)
        writer.write(UInt64(7))
        if let retired { writer.write(retired) } else { writer.writeNull() }
    }

    init(from reader: inout CBORReader) throws(CBORError) {
        try reader.beginMap(of: 8)
        try reader.expectKey(0)
        id = try reader.readID()
        try reader.expectKey(1)
        kind = try reader.readCase(Kind.self)
        try reader.expectKey(2)
        accessibility = try reader.readCase(Accessibility.self)
        try reader.expectKey(3)
        parent = try reader.readID()
        try reader.expectKey(4)
        wrapped = try reader.readArray(count: Sealing.keyByteCount + Sealing.overhead)
        try reader.expectKey(5)
        sealsReserved = try reader.readUnsigned()
        try reader.expectKey(6)
        created = try reader.readInteger()
        try reader.expectKey(7)
        retired = try reader.readNull() ? nil : try reader.readInteger()
    }
}

extension CBORReader {
    /// The head of a map of exactly `count` pairs.
    mutating func beginMap(of count: Int) throws(CBORError) {
        guard try readMapCount(limit: count) == count else { throw .outOfRange }
    }

    /// The next key of a map, which must be `key`.
    mutating func expectKey(_ key: UInt64) throws(CBORError) {
        guard try readUnsigned() == key else { throw .outOfRange }
    }

    mutating func readID() throws(CBORError) -> UInt32 {
        guard let id = UInt32(exactly: try readUnsigned()) else { throw .outOfRange }
        return id
    }
}
