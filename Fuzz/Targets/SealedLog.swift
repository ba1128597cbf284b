/// Corrects the checksums of a write-ahead log (sqlite.org/fileformat2.html, section 4.2), which no fuzzer guesses.
enum SealedLog {
    static func seal(_ log: inout [UInt8]) {
        guard log.count >= 32 else { return }
        let magic: [UInt8] = [0x37, 0x7F, 0x06, 0x82 | log[3] & 1]
        log.replaceSubrange(0..<4, with: magic)
        let isBigEndian = log[3] & 1 == 1
        var sum = write(checksum(log[0..<24], (0, 0), isBigEndian), to: &log, at: 24)
        let page = log[8..<12].reduce(0) { $0 << 8 | Int($1) }
        guard page >= 512, page <= 65536 else { return }
        let salts = Array(log[16..<24])
        var offset = 32
        while offset + 24 + page <= log.count {
            log.replaceSubrange(offset + 8..<offset + 16, with: salts)
            sum = checksum(log[offset..<offset + 8], sum, isBigEndian)
            sum = checksum(log[offset + 24..<offset + 24 + page], sum, isBigEndian)
            write(sum, to: &log, at: offset + 16)
            offset += 24 + page
        }
    }

    @discardableResult
    private static func write(_ sum: (UInt32, UInt32), to log: inout [UInt8], at offset: Int) -> (UInt32, UInt32) {
        for (index, word) in [sum.0, sum.1].enumerated() {
            for byte in 0..<4 {
                log[offset + 4 * index + byte] = UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * byte))
            }
        }
        return sum
    }

    private static func checksum(
        _ bytes: ArraySlice<UInt8>, _ seed: (UInt32, UInt32), _ isBigEndian: Bool
    ) -> (UInt32, UInt32) {
        var (first, second) = seed
        func word(_ start: Int) -> UInt32 {
            let word = bytes[start..<start + 4].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
            return isBigEndian ? word : word.byteSwapped
        }
        for start in stride(from: bytes.startIndex, to: bytes.endIndex - 7, by: 8) {
            first &+= word(start) &+ second
            second &+= word(start + 4) &+ first
        }
        return (first, second)
    }
}
