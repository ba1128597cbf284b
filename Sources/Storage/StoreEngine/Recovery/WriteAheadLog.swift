/// The pages in a write-ahead log, judged frame by frame (sqlite.org/fileformat2.html, section 4).
///
/// SQLite stops at the first wrong frame and ignores all later ones. This reader checks each frame against the checksum
/// that the frame before it states, so that a garbled frame costs no other frame.
struct WriteAheadLog: Sendable {
    static let headerBytes = 32
    static let frameHeaderBytes = 24
    private static let magic: UInt32 = 0x377F_0682

    /// The page size, from the log's header; nil without a sound header.
    private(set) var pageSize: Int?
    /// The offset of each page's newest sound image, by the page's number; of committed changes only.
    private(set) var pages: [UInt32: Int] = [:]
    /// Pages whose newest image is garbled, so that an older one has to serve.
    private(set) var distrusted: Set<UInt32> = []
    /// Whether the log has sound frames beyond the point where SQLite stops.
    private(set) var hasUnreachableFrames = false

    /// Reads a log.
    ///
    /// - Parameters:
    ///   - size: the size of the log.
    ///   - read: the bytes at an offset; nil where they are unreadable.
    init(size: Int, read: (_ offset: Int, _ count: Int) -> [UInt8]?) {
        guard let header = read(0, Self.headerBytes), header.count == Self.headerBytes else { return }
        let magic = Self.number(header, 0)
        let isSound =
            magic & ~1 == Self.magic
            && Self.checksum(header[0..<24], from: (0, 0), isBigEndian: magic & 1 == 1)
                == (Self.number(header, 24), Self.number(header, 28))
        let stated = Int(Self.number(header, 8))
        guard isSound, DamagedDatabase.isPageSize(stated) else { return }
        pageSize = stated
        let isBigEndian = magic & 1 == 1
        var seed = (Self.number(header, 24), Self.number(header, 28))
        var offset = Self.headerBytes
        let frameBytes = Self.frameHeaderBytes + stated
        var isChainWhole = true
        // The frames of a change that is not committed yet.
        var open: [(page: UInt32, offset: Int?)] = []
        while offset + frameBytes <= size {
            guard let frame = read(offset, frameBytes), frame.count == frameBytes else { break }
            // Frames of an earlier round of the log remain beyond the end of this one.
            guard Array(frame[8..<16]) == Array(header[16..<24]) else {
                // Perhaps only this frame is garbled; the checksum that it states tells whether the next one is sound.
                isChainWhole = false
                seed = (Self.number(frame, 16), Self.number(frame, 20))
                offset += frameBytes
                continue
            }
            var sum = Self.checksum(frame[0..<8], from: seed, isBigEndian: isBigEndian)
            sum = Self.checksum(frame[Self.frameHeaderBytes...], from: sum, isBigEndian: isBigEndian)
            seed = (Self.number(frame, 16), Self.number(frame, 20))
            let page = Self.number(frame, 0)
            let isFrameSound = sum == seed
            open.append((page, isFrameSound ? offset + Self.frameHeaderBytes : nil))
            if isFrameSound, !isChainWhole { hasUnreachableFrames = true }
            if !isFrameSound { isChainWhole = false }
            if isFrameSound, Self.number(frame, 4) != 0 {
                take(open)
                open = []
            }
            offset += frameBytes
        }
    }

    private mutating func take(_ frames: [(page: UInt32, offset: Int?)]) {
        for (page, offset) in frames {
            if let offset {
                pages[page] = offset
                distrusted.remove(page)
            } else {
                distrusted.insert(page)
            }
        }
    }

    private static func number(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The running checksum of the format: Fibonacci-weighted sums of pairs of words.
    private static func checksum(
        _ bytes: ArraySlice<UInt8>, from seed: (UInt32, UInt32), isBigEndian: Bool
    ) -> (UInt32, UInt32) {
        var (first, second) = seed
        bytes.withUnsafeBytes { bytes in
            var offset = 0
            while offset + 8 <= bytes.count {
                let words = (
                    bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self),
                    bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                )
                first &+= (isBigEndian ? UInt32(bigEndian: words.0) : UInt32(littleEndian: words.0)) &+ second
                second &+= (isBigEndian ? UInt32(bigEndian: words.1) : UInt32(littleEndian: words.1)) &+ first
                offset += 8
            }
        }
        return (first, second)
    }
}
