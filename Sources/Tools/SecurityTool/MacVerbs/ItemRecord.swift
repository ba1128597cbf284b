import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// An item as macOS's command prints it: its keychain, its class and every attribute of the class there, a line each.
struct ItemRecord {
    /// The version of keychains whose items have partition lists, as all of ours have.
    private static let version = 512

    private let item: FoundItem
    private let place: String
    /// Whether the output is a terminal, so that the path has to be printable.
    private let isForTerminal: Bool

    init(item: KeychainItem, isForTerminal: Bool) {
        (self.item, place, self.isForTerminal) = (item.item, item.path, isForTerminal)
    }

    /// A record of an item from either kind of keychain.
    init(_ item: StoredItem, isForTerminal: Bool) {
        (self.item, place, self.isForTerminal) = (item.item, item.place.text, isForTerminal)
    }

    func append(to buffer: inout SecretBuffer) {
        let path = Printable.line(place, isForTerminal: isForTerminal)
        buffer.append(text: "keychain: \"\(path)\"\nversion: \(Self.version)\nclass: ")
        buffer.append(layout: classBytes)
        buffer.append(text: "\nattributes:\n")
        let attributes = item.attributes
        for column in Self.columns(of: item.itemClass) {
            buffer.append(text: "    ")
            buffer.append(layout: column.tag)
            buffer.append(text: "<\(column.type.name)>=")
            if let bytes = attributes[column.key].flatMap(column.type.bytes) {
                buffer.append(layout: bytes)
            } else {
                buffer.append(text: "<NULL>")
            }
            buffer.append(text: "\n")
        }
    }

    /// The class: certificates and keys have numbers on macOS, and each kind of key has its own.
    private var classBytes: [UInt8] {
        switch item.itemClass {
        case .certificate: return [0x80, 0, 0x10, 0]
        case .key:
            var half: Int64 = 0
            if case .number(let number)? = item.attributes[.keyClass] { half = number }
            return [0, 0, 0, Self.firstKeyClass + UInt8(clamping: half)]
        case .genericPassword, .internetPassword, .identity: return Array(item.itemClass.name.utf8)
        }
    }

    /// The number of public keys; those of private and symmetric keys follow.
    private static let firstKeyClass: UInt8 = 0x0F

    // MARK: Columns

    private struct Column: Sendable {
        let key: AttributeKey
        /// The column's tag in a file keychain of macOS.
        let tag: [UInt8]
        let type: ColumnType

        init(_ name: String, _ type: ColumnType) {
            // These two columns have a number instead of letters there.
            let number: UInt8? = name == "labl" ? 7 : name == "alis" ? 8 : nil
            tag = number.map { [0, 0, 0, $0] } ?? Array(name.utf8)
            key = AttributeKey(name) ?? .label
            self.type = type
        }

        /// A column of a certificate, which has another name there, or of a key, which has a number.
        init(_ tag: [UInt8], _ name: String, _ type: ColumnType) {
            (self.tag, self.type) = (tag, type)
            key = AttributeKey(name) ?? .label
        }
    }

    private static func columns(of itemClass: ItemClass) -> [Column] {
        switch itemClass {
        case .internetPassword: internetPassword
        case .certificate: certificate
        case .key: key
        case .genericPassword, .identity: genericPassword
        }
    }

    private static let certificate = [
        renamed("alis", "alis"), Column("cenc", .uint32), Column("ctyp", .uint32), renamed("hpky", "pkhh"),
        renamed("issu", "issr"), renamed("labl", "labl"), Column("skid", .blob), renamed("snbr", "slnr"),
        Column("subj", .blob),
    ]

    private static func renamed(_ tag: String, _ name: String) -> Column { Column(Array(tag.utf8), name, .blob) }

    /// The columns of keys, in the order of their numbers.
    private static let key =
        "kcls:uint32 labl:blob alis:blob perm:uint32 priv:uint32 modi:uint32 klbl:blob atag:blob crtr:blob type:uint32 "
        .appending(
            "bsiz:uint32 esiz:uint32 sdat:keydate edat:keydate sens:uint32 asen:uint32 extr:uint32 next:uint32 encr:uint32 "
                + "decr:uint32 drve:uint32 sign:uint32 vrfy:uint32 snrc:uint32 vyrc:uint32 wrap:uint32 unwp:uint32"
        ).split(separator: " ").enumerated().compactMap { number, word -> Column? in
            let parts = word.split(separator: ":")
            guard let type = ColumnType(rawValue: String(parts[parts.count - 1])) else { return nil }
            return Column([0, 0, 0, UInt8(clamping: number)], String(parts[0]), type)
        }

    private static let genericPassword = columns(
        "labl:blob alis:blob acct:blob cdat:timedate crtr:uint32 cusi:sint32 desc:blob gena:blob icmt:blob invi:sint32 "
            + "mdat:timedate nega:sint32 prot:blob scrp:sint32 svce:blob type:uint32")
    private static let internetPassword = columns(
        "labl:blob alis:blob acct:blob atyp:blob cdat:timedate crtr:uint32 cusi:sint32 desc:blob icmt:blob invi:sint32 "
            + "mdat:timedate nega:sint32 path:blob port:uint32 prot:blob ptcl:uint32 scrp:sint32 sdmn:blob srvr:blob "
            + "type:uint32")

    private static func columns(_ text: String) -> [Column] {
        text.split(separator: " ").compactMap { word in
            let parts = word.split(separator: ":")
            guard parts.count == 2, let type = ColumnType(rawValue: String(parts[1])) else { return nil }
            return Column(String(parts[0]), type)
        }
    }
}

/// The type of a column in macOS's keychains, by its name in the output of the command.
private enum ColumnType: String, Sendable {
    case blob = "blob"
    case uint32 = "uint32"
    case sint32 = "sint32"
    case timedate = "timedate"
    /// A date of a key; macOS stores zeros if it is not set.
    case keydate = "keydate"

    /// The name of the type in records.
    var name: String { self == .keydate ? Self.blob.rawValue : rawValue }

    /// The value's bytes in a column of this type; nil if it does not fit.
    func bytes(_ value: AttributeValue) -> [UInt8]? {
        switch value {
        // A code that a program gave as text is shown by its letters in a column of numbers.
        case .text(let text): Array(text.utf8)
        case .data(let data): data
        case .number(let number): [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
        case .date(0) where self == .keydate: [UInt8](repeating: 0, count: 8)
        case .date(let seconds): Self.date(seconds)
        }
    }

    /// A date as `YYYYMMDDhhmmssZ` and a NUL.
    private static func date(_ seconds: Double) -> [UInt8]? {
        guard let text = DateText.text(seconds) else { return nil }
        return text.utf8.filter { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: "Z") } + [0]
    }
}
