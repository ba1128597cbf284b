import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// An item as macOS's command prints it: its keychain, its class and every attribute that the class has there, a line each.
struct ItemRecord {
    /// Of a keychain whose items have partition lists, as all of ours have.
    private static let version = 512

    let item: KeychainItem
    /// Whether a person reads the path as it comes.
    let isForTerminal: Bool

    func append(to buffer: inout SecretBuffer) {
        let path = isForTerminal ? Printable.text(item.path) : item.path
        buffer.append(text: "keychain: \"\(path)\"\nversion: \(Self.version)\nclass: ")
        buffer.append(layout: Array(item.item.itemClass.name.utf8))
        buffer.append(text: "\nattributes:\n")
        let attributes = item.item.attributes
        for column in Self.columns(of: item.item.itemClass) {
            buffer.append(text: "    ")
            buffer.append(layout: column.tag)
            buffer.append(text: "<\(column.type.rawValue)>=")
            if let bytes = attributes[column.key].flatMap(column.type.bytes) {
                buffer.append(layout: bytes)
            } else {
                buffer.append(text: "<NULL>")
            }
            buffer.append(text: "\n")
        }
    }

    // MARK: Columns

    private struct Column: Sendable {
        let key: AttributeKey
        /// What stands for it in a file keychain of macOS's.
        let tag: [UInt8]
        let type: ColumnType

        init(_ name: String, _ type: ColumnType) {
            // Two have a number there and no letters.
            let number: UInt8? = name == "labl" ? 7 : name == "alis" ? 8 : nil
            tag = number.map { [0, 0, 0, $0] } ?? Array(name.utf8)
            key = AttributeKey(name) ?? .label
            self.type = type
        }
    }

    private static func columns(of itemClass: ItemClass) -> [Column] {
        itemClass == .internetPassword ? internetPassword : genericPassword
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

/// What a column of macOS's keychains holds, under the name that its command has for it.
private enum ColumnType: String, Sendable {
    case blob
    case uint32
    case sint32
    case timedate

    /// The value as it stands in such a column; nil where it cannot.
    func bytes(_ value: AttributeValue) -> [UInt8]? {
        switch value {
        // Codes that programs give as text stand in a column of numbers by their letters.
        case .text(let text): Array(text.utf8)
        case .data(let data): data
        case .number(let number): [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
        case .date(let seconds): Self.date(seconds)
        }
    }

    /// `YYYYMMDDhhmmssZ` and a NUL.
    private static func date(_ seconds: Double) -> [UInt8]? {
        guard let text = DateText.text(seconds) else { return nil }
        return text.utf8.filter { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: "Z") } + [0]
    }
}
