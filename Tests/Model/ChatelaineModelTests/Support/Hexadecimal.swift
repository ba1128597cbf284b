/// The bytes of a string of hexadecimal digits; blanks do not count.
func bytes(_ digits: String) -> [UInt8] {
    let digits = digits.utf8.filter { $0 != UInt8(ascii: " ") }.map { UInt8($0 & 0x0F) + ($0 > 0x39 ? 9 : 0) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
