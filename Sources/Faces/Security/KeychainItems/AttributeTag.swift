import ChatelaineModel
import Glibc

/// An attribute in the form of the older calls: a name of four characters, and a value in bytes.
struct AttributeTag {
    /// The form of a value, as CSSM's number for it.
    enum Format: UInt32 {
        case signed = 1
        case number = 2
        /// `YYYYMMDDhhmmssZ` and a zero, in UTC.
        case date = 5
        case bytes = 6
    }

    let key: AttributeKey
    let format: Format

    /// - Throws: `errSecNoSuchAttr` for an attribute that items of the class do not have.
    init(_ tag: UInt32, of itemClass: ItemClass) throws(KeychainError) {
        // Label and alias have numbers in macOS's tables; all attributes of keys have numbers.
        let key: AttributeKey =
            switch tag {
            case _ where itemClass == .key:
                try Self.key(tag)
            case Self.label: .label
            case Self.alias: Self.aliasKey
            default: Self.ofCertificates[tag] ?? AttributeKey(rawValue: tag)
            }
        guard Self.keys(of: itemClass).contains(key) else {
            throw KeychainError(.noSuchAttribute, "items of this class have no attribute \(Self.name(tag))")
        }
        self.key = key
        format = Self.format(of: key, in: itemClass)
    }

    private static func key(_ number: UInt32) throws(KeychainError) -> AttributeKey {
        guard number < ofKeys.count else {
            throw KeychainError(.noSuchAttribute, "keys have no attribute \(name(number))")
        }
        return ofKeys[Int(number)]
    }

    /// The attributes of keys in the order of their numbers, `kSecKeyKeyClass` to `kSecKeyUnwrap`.
    private static let ofKeys = keys(
        "kcls labl alis perm priv modi klbl atag crtr type bsiz esiz sdat edat sens asen extr next "
            + "encr decr drve sign vrfy snrc vyrc wrap unwp")
    private static let bytesOfKeys = keys("labl alis klbl atag")
    private static let datesOfKeys = keys("sdat edat")

    private static let label: UInt32 = 7
    private static let alias: UInt32 = 8
    private static let aliasKey = AttributeKey(rawValue: 0x616C_6973)

    /// The attributes whose names here differ from SecItem's: `issu`, `snbr` and `hpky`.
    private static let ofCertificates: [UInt32: AttributeKey] = [
        0x6973_7375: .issuer, 0x736E_6272: .serialNumber, 0x6870_6B79: .publicKeyHash,
    ]

    private static let numbers = keys("crtr type ptcl port ctyp cenc")
    private static let signed = keys("cusi invi nega scrp")
    private static let common = keys("labl alis acct cdat crtr cusi desc icmt invi mdat nega prot scrp type")
    private static let generic = common + keys("gena svce")
    private static let certificate = keys("labl alis ctyp cenc subj issr slnr skid pkhh")
    private static let internet = common + keys("atyp path port ptcl sdmn srvr")

    private static func keys(_ names: String) -> [AttributeKey] {
        names.split(separator: " ").compactMap { AttributeKey(String($0)) }
    }

    private static func keys(of itemClass: ItemClass) -> [AttributeKey] {
        switch itemClass {
        case .genericPassword: generic
        case .internetPassword: internet
        case .certificate: certificate
        case .key: ofKeys
        case .identity: []
        }
    }

    private static func format(of key: AttributeKey, in itemClass: ItemClass) -> Format {
        if itemClass == .key { return bytesOfKeys.contains(key) ? .bytes : datesOfKeys.contains(key) ? .date : .number }
        if numbers.contains(key) { return .number }
        if signed.contains(key) { return .signed }
        return key == .creationDate || key == .modificationDate ? .date : .bytes
    }

    /// All tags of a class with their formats, in macOS's order.
    static func all(of itemClass: ItemClass) -> [(tag: UInt32, format: Format)] {
        let keys = keys(of: itemClass)
        func format(_ key: AttributeKey) -> Format { self.format(of: key, in: itemClass) }
        if itemClass == .key { return keys.enumerated().map { (UInt32($0.offset), format($0.element)) } }
        return keys.prefix(2).enumerated().map { (label + UInt32($0.offset), format($0.element)) }
            + keys.dropFirst(2).sorted().map { key in
                (ofCertificates.first { $0.value == key }?.key ?? key.rawValue, format(key))
            }
    }

    private static func name(_ tag: UInt32) -> String {
        let name = AttributeKey(rawValue: tag).name
        return AttributeKey(name) == nil ? "\(tag)" : "'\(name)'"
    }

    // MARK: Values

    /// The bytes of a value; nil for an attribute that the item does not have.
    func bytes(of value: AttributeValue?) -> [UInt8]? {
        switch (format, value) {
        // Attributes of the unique key have a value, even if the program gave none.
        case (.number, nil) where key == .port || key == .protocolType: Self.bytes(0)
        case (.bytes, nil) where key == .authenticationType: Self.bytes(0)
        case (.bytes, .text("")) where key == .authenticationType: Self.bytes(0)
        case (_, nil): nil
        case (.bytes, .text(let text)): Array(text.utf8)
        case (.bytes, .data(let data)): data
        case (.bytes, .number(let number)): Array("\(number)".utf8)
        case (.number, .number(let number)), (.signed, .number(let number)):
            Self.bytes(UInt32(truncatingIfNeeded: number))
        case (.number, .text(let text)), (.signed, .text(let text)):
            AttributeKey(text).map { Self.bytes($0.rawValue) }
        case (.date, .date(let seconds)): TimeDate.bytes(seconds)
        default: nil
        }
    }

    /// - Throws: `errSecParam` for bytes that are no value of the attribute.
    func value(of bytes: UnsafeRawBufferPointer) throws(KeychainError) -> AttributeValue {
        let value: AttributeValue?
        switch format {
        case .bytes where key == .authenticationType && bytes.allSatisfy { $0 == 0 }: value = .text("")
        case .bytes where key == .applicationLabel || key == .applicationTag: value = .data([UInt8](bytes))
        case .bytes: value = Self.blob(bytes)
        case .date: value = TimeDate.seconds(bytes).map { .date($0) }
        case .number, .signed: value = number(bytes).map { key == .protocolType ? Self.code($0) : .number($0) }
        }
        guard let value else {
            throw KeychainError(
                .param, "the value of the attribute '\(key.name)' has a wrong length, or is no such value")
        }
        return value
    }

    /// Reads bytes as text where they are valid UTF-8, since text and data mean the same here.
    static func blob(_ bytes: UnsafeRawBufferPointer) -> AttributeValue {
        String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .data([UInt8](bytes))
    }

    /// The SecItem value of a protocol: its four characters, or a number where they are not characters.
    static func code(_ number: Int64) -> AttributeValue {
        let name = AttributeKey(rawValue: UInt32(truncatingIfNeeded: number)).name
        return AttributeKey(name) == nil || Int64(name) != nil ? .number(number) : .text(name)
    }

    /// Reads a number; programs may also pass a port in 16 bits and a truth value in 8.
    private func number(_ bytes: UnsafeRawBufferPointer) -> Int64? {
        switch bytes.count {
        case 4 where format == .signed: Int64(bytes.loadUnaligned(as: Int32.self))
        case 4: Int64(bytes.loadUnaligned(as: UInt32.self))
        case 2 where key == .port: Int64(bytes.loadUnaligned(as: UInt16.self))
        case 1 where format == .signed: Int64(bytes[0])
        default: nil
        }
    }

    static func bytes(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number) { [UInt8]($0) } }
}

/// A date in CSSM's form.
enum TimeDate {
    private static let epoch = Double(ReferenceDate.secondsSince1970)
    /// The last second of the year 9999.
    private static let latest = 253_402_300_799.0

    static func bytes(_ seconds: Double) -> [UInt8]? {
        let seconds = (seconds + epoch).rounded(.down)
        // The form has four digits for the year.
        guard (-62_167_219_200...latest).contains(seconds) else { return nil }
        var (time, parts) = (time_t(seconds), tm())
        guard gmtime_r(&time, &parts) != nil else { return nil }
        let numbers = [parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec]
        let text = padded(parts.tm_year + 1900, 4) + numbers.map { padded($0, 2) }.joined() + "Z"
        return Array(text.utf8) + [0]
    }

    /// Reads a date; nil for other bytes. The zero at the end is optional.
    static func seconds(_ bytes: UnsafeRawBufferPointer) -> Double? {
        guard bytes.count == 15 || bytes.count == 16 && bytes[15] == 0, bytes[14] == UInt8(ascii: "Z") else {
            return nil
        }
        let digits = bytes.prefix(14).map { Int32($0) - 48 }
        guard digits.allSatisfy({ (0...9).contains($0) }) else { return nil }
        func number(_ range: Range<Int>) -> Int32 { digits[range].reduce(0) { $0 * 10 + $1 } }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (number(0..<4) - 1900, number(4..<6) - 1, number(6..<8))
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (number(8..<10), number(10..<12), number(12..<14))
        let seconds = Double(timegm(&parts)) - epoch
        // timegm(3) accepts a day 32 or an hour 25 and returns another date.
        return self.bytes(seconds)?.prefix(15).elementsEqual(bytes.prefix(15)) == true ? seconds : nil
    }

    private static func padded(_ number: Int32, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}
