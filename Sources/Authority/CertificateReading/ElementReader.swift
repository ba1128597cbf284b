import SwiftASN1

/// Reads the elements of a SEQUENCE or SET, one after the other.
struct ElementReader {
    private var elements: ASN1NodeCollection.Iterator
    private var next: ASN1Node?
    /// Names the structure in error texts.
    private let name: String

    init(_ node: ASN1Node, _ name: String, as identifier: ASN1Identifier = .sequence) throws(CertificateFlaw) {
        self.name = name
        guard node.identifier == identifier, case .constructed(let nodes) = node.content else {
            throw CertificateFlaw("\(name) is of another type than it has to be")
        }
        elements = nodes.makeIterator()
        next = elements.next()
    }

    var isAtEnd: Bool { next == nil }

    /// The next element of any type.
    mutating func take() throws(CertificateFlaw) -> ASN1Node {
        guard let node = next else { throw CertificateFlaw("\(name) ends too early") }
        next = elements.next()
        return node
    }

    mutating func take(_ identifier: ASN1Identifier) throws(CertificateFlaw) -> ASN1Node {
        guard let node = takeIfPresent(identifier) else {
            throw CertificateFlaw("\(name) lacks something, or has it in another type")
        }
        return node
    }

    mutating func takeIfPresent(_ identifier: ASN1Identifier) -> ASN1Node? {
        guard let node = next, node.identifier == identifier else { return nil }
        next = elements.next()
        return node
    }

    /// The single element inside an explicit tag; nil if the tag is absent.
    mutating func takeTagged(_ number: UInt) throws(CertificateFlaw) -> ASN1Node? {
        guard let node = takeIfPresent(.tagged(number)) else { return nil }
        var inner = try ElementReader(node, name, as: .tagged(number))
        let element = try inner.take()
        try inner.end()
        return element
    }

    func end() throws(CertificateFlaw) {
        guard isAtEnd else { throw CertificateFlaw("\(name) has more than it may have") }
    }
}

extension ASN1Identifier {
    static func tagged(_ number: UInt) -> ASN1Identifier {
        ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
    }
}

extension ASN1Node {
    /// The content of a primitive element.
    var bytes: ArraySlice<UInt8>? {
        guard case .primitive(let bytes) = content else { return nil }
        return bytes
    }

    /// The content of an octet string.
    func octets(_ name: String) throws(CertificateFlaw) -> [UInt8] {
        guard identifier == .octetString, let bytes else { throw CertificateFlaw("\(name) is no octet string") }
        return Array(bytes)
    }

    /// The bytes of a bit string without unused bits.
    func wholeBits(_ name: String) throws(CertificateFlaw) -> [UInt8] {
        guard identifier == .bitString, let bytes, bytes.first == 0 else {
            throw CertificateFlaw("\(name) is no bit string of whole bytes")
        }
        return Array(bytes.dropFirst())
    }

    /// The bytes of an integer in its shortest form.
    func integer(_ name: String) throws(CertificateFlaw) -> [UInt8] {
        guard identifier == .integer, let bytes, let first = bytes.first else {
            throw CertificateFlaw("\(name) is no integer")
        }
        if let second = bytes.dropFirst().first {
            guard first != 0 || second >= 0x80, first != 0xFF || second < 0x80 else {
                throw CertificateFlaw("\(name) is no integer in its shortest form")
            }
        }
        return Array(bytes)
    }

    /// A non-negative integer of at most 8 bytes.
    func smallInteger(_ name: String) throws(CertificateFlaw) -> UInt64 {
        let bytes = try integer(name)
        guard bytes[0] < 0x80, bytes.count <= 8 else { throw CertificateFlaw("\(name) is negative, or too large") }
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
