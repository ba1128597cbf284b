/// One part of an extension's content as it is shown: a name and a value.
package struct CertificateField: Hashable, Sendable {
    package enum Value: Hashable, Sendable {
        case text(String)
        /// A value that is no text: the bytes after its header.
        case data([UInt8])
    }

    package var label: String
    package var value: Value

    package init(_ label: String, _ value: Value) {
        self.label = label
        self.value = value
    }
}

extension CertificateField: CBORValue {
    private enum Field: UInt64, CBORField {
        case label = 1
        case text = 2
        case data = 3
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.label, label)
            switch value {
            case .text(let text): $0.write(Field.text, text)
            case .data(let data): $0.write(Field.data, data)
            }
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        try map.find(Field.label)
        label = try map.reader.readText(limit: CertificateLimits.maximumLabelBytes)
        if let text: String = try map.readIfPresent(Field.text) {
            value = .text(text)
        } else {
            value = .data(try map.read(Field.data))
        }
        reader = try map.end()
    }
}
