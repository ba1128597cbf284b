extension RowContext {
    private static let synchronizableFlag: UInt64 = 1
    private static let tombstoneFlag: UInt64 = 2

    func encode(to writer: inout CBORWriter) {
        writer.writeMap(count: 7)
        writer.write(UInt64(0)); writer.write(store.value)
        writer.write(UInt64(1)); writer.write(row.value)
        writer.write(UInt64(2)); writer.write(version)
        writer.write(UInt64(3)); writer.write(UInt64(itemClass.rawValue))
        writer.write(UInt64(4)); writer.write(UInt64(accessibility.rawValue))
        writer.write(UInt64(5))
        writer.write((isSynchronizable ? Self.synchronizableFlag : 0) | (isTombstone ? Self.tombstoneFlag : 0))
        writer.write(UInt64(6)); writer.write(groupDigest)
    }

    init(from reader: inout CBORReader) throws(CBORError) {
        try reader.readMap(of: 7)
        try reader.readKey(0)
        let store: StoreIdentifier = try reader.readIdentifier()
        try reader.readKey(1)
        let row: ItemIdentifier = try reader.readIdentifier()
        try reader.readKey(2)
        let version = try reader.readUnsigned()
        try reader.readKey(3)
        let itemClass = try reader.readCase(ItemClass.self)
        try reader.readKey(4)
        let accessibility = try reader.readCase(Accessibility.self)
        try reader.readKey(5)
        let flags = try reader.readUnsigned()
        guard flags <= Self.synchronizableFlag | Self.tombstoneFlag else { throw .outOfRange }
        try reader.readKey(6)
        let groupDigest = try reader.readBytes16()
        self.init(
            store: store, row: row, version: version, itemClass: itemClass, accessibility: accessibility,
            isSynchronizable: flags & Self.synchronizableFlag != 0, isTombstone: flags & Self.tombstoneFlag != 0,
            groupDigest: groupDigest)
    }
}
