import ChatelaineModel

/// The cache's file: an array of [device, inode, size, modified, changed, digest], oldest use first.
extension DigestCache {
    static let fileKind: StaticString = "CHTLDIGC"
    static let fileVersion: UInt32 = 1
    /// One entry takes 85 bytes at most: five integers of 9, the digest's 34, the array's head.
    static let fileLimit = 9 + maximumEntries * 85

    static func encoded(_ entries: [FileStatus.Content: Entry]) -> [UInt8] {
        var writer = CBORWriter(capacity: 64 + entries.count * 85)
        writer.writeArray(count: entries.count)
        for (content, entry) in entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
            writer.writeArray(count: 6)
            writer.write(content.key.device)
            writer.write(content.key.inode)
            writer.write(content.size)
            writer.write(content.modified)
            writer.write(content.changed)
            writer.write(entry.digest.bytes)
        }
        return writer.finishArray()
    }

    static func decoded(_ bytes: [UInt8]) throws(CBORError) -> [FileStatus.Content: Entry] {
        var result: Result<[FileStatus.Content: Entry], CBORError> = .success([:])
        bytes.withUnsafeBytes { buffer in
            do throws(CBORError) {
                result = .success(try decoded(CBORReader(buffer)))
            } catch { result = .failure(error) }
        }
        return try result.get()
    }

    private static func decoded(_ start: CBORReader) throws(CBORError) -> [FileStatus.Content: Entry] {
        var reader = start
        var entries = [FileStatus.Content: Entry]()
        for use in 0..<(try reader.readArrayCount(limit: maximumEntries)) {
            guard try reader.readArrayCount(limit: 6) == 6 else { throw .outOfRange }
            let key = FileKey(device: try reader.readUnsigned(), inode: try reader.readUnsigned())
            let content = FileStatus.Content(
                key: key, size: try reader.readInteger(), modified: try reader.readInteger(),
                changed: try reader.readInteger())
            guard let digest = ExecutableDigest(try reader.readBytes()) else { throw .outOfRange }
            entries[content] = Entry(digest: digest, lastUse: UInt64(use))
        }
        try reader.finish()
        return entries
    }
}
