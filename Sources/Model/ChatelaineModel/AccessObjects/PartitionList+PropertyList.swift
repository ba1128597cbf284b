/// Apple's form of a partition list: a property list in hexadecimal, as the description of its entry.
///
/// It is written here for this one shape, because the daemons do not link Foundation.
extension PartitionList {
    private static let head = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
        \t<key>Partitions</key>

        """
    private static let tail = "</dict>\n</plist>\n"
    private static let (itemHead, itemTail) = ("\t\t<string>", "</string>\n")
    /// The size of the longest list: each byte may become a reference of five.
    private static let maximumBytes = ACLLimits.partitions * (ACLLimits.partitionBytes * 5 + 32) + 1024

    /// The property list `{Partitions: […]}` as XML.
    package var propertyList: String {
        guard !identifiers.isEmpty else { return Self.head + "\t<array/>\n" + Self.tail }
        let items = identifiers.map { Self.itemHead + Self.escaped($0.text) + Self.itemTail }
        return Self.head + "\t<array>\n" + items.joined() + "\t</array>\n" + Self.tail
    }

    /// Accepts only what ``propertyList`` writes.
    ///
    /// - Throws: `errSecInvalidACL`.
    package init(propertyList text: String) throws(KeychainError) {
        guard text.utf8.count <= Self.maximumBytes else { throw Self.unreadable }
        var identifiers: [PartitionID] = []
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) where line.starts(with: Self.itemHead.utf8) {
            let content = line.dropFirst(Self.itemHead.utf8.count).dropLast(Self.itemTail.utf8.count - 1)
            guard identifiers.count < ACLLimits.partitions, let escaped = String(content),
                let identifier = PartitionID(Self.unescaped(escaped))
            else { throw Self.unreadable }
            identifiers.append(identifier)
        }
        self.init(identifiers)
        // The comparison finds everything that was skipped, repeated or spelt otherwise.
        guard propertyList.utf8.elementsEqual(text.utf8) else { throw Self.unreadable }
    }

    /// The property list in hexadecimal digits, as `SecACLCopyContents` shows it.
    package var hexadecimal: String { Hexadecimal.text(of: propertyList.utf8) }

    /// - Throws: `errSecInvalidACL`.
    package init(hexadecimal text: String) throws(KeychainError) {
        guard text.utf8.count <= 2 * Self.maximumBytes, let bytes = Hexadecimal.bytes(of: text.utf8),
            let list = String(validating: bytes, as: UTF8.self)
        else { throw Self.unreadable }
        try self.init(propertyList: list)
    }

    private static var unreadable: KeychainError {
        KeychainError(
            .invalidACL,
            "a partition list is a property list with the key Partitions, in hexadecimal, as Apple writes it")
    }

    private static let references: [(scalar: Unicode.Scalar, reference: String)] = [
        ("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"),
    ]

    private static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if let reference = references.first(where: { $0.scalar == scalar })?.reference {
                escaped.append(contentsOf: reference.unicodeScalars)
            } else {
                escaped.append(scalar)
            }
        }
        return String(escaped)
    }

    private static func unescaped(_ text: String) -> String {
        var rest = text.unicodeScalars[...]
        var plain = String.UnicodeScalarView()
        while let scalar = rest.first {
            if let (scalar, reference) = references.first(where: { rest.starts(with: $0.reference.unicodeScalars) }) {
                plain.append(scalar)
                rest = rest.dropFirst(reference.unicodeScalars.count)
            } else {
                plain.append(scalar)
                rest.removeFirst()
            }
        }
        return String(plain)
    }
}
