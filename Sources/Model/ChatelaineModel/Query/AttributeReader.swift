/// Takes attributes of one class out of a dictionary and converts their values
/// (behaviour/attributes-and-dates.md, 9 to 13).
struct AttributeReader {
    enum Attribute {
        case plain(AttributeKey, AttributeValue)
        case accessGroup(AccessGroup)
        case accessibility(Accessibility)
        case accessControl(AccessControl)
        case synchronizable(SynchronizableScope)
        case ignored
    }

    let itemClass: ItemClass

    func read(_ name: String, _ value: QueryValue) throws(KeychainError) -> Attribute {
        guard let key = AttributeKey(name), let kind = AttributeSchema.of(itemClass).kind(of: key) else {
            throw KeychainError.noAttribute(name, with: value, of: itemClass)
        }
        switch (kind, value) {
        case (.ignored, _): return .ignored
        case (.reserved, _):
            throw KeychainError(.param, "the attribute \(KeyName.of(name)) belongs to the Keychain itself")
        case (.accessibility, _):
            guard let accessibility = string(value).flatMap({ Accessibility(name: $0) }) else { break }
            return .accessibility(accessibility)
        case (.accessControl, .accessControl(let control)): return .accessControl(control)
        case (.synchronizable, .text("syna")): return .synchronizable(.any)
        case (.synchronizable, _):
            guard case .number(let number)? = number(value) else { break }
            return .synchronizable(number == 0 ? .local : .synchronizable)
        case (.string, _):
            guard let text = string(value) else { break }
            return key == .accessGroup ? .accessGroup(AccessGroup(text)) : .plain(key, .text(text))
        default:
            guard let converted = convert(value, to: kind) else { break }
            return .plain(key, converted)
        }
        throw KeychainError(
            .param, "the value of \(KeyName.of(key, in: itemClass)) is not \(kind.accepted)")
    }

    private func convert(_ value: QueryValue, to kind: AttributeKind) -> AttributeValue? {
        switch (kind, value) {
        case (.blob, .text(let text)): .text(text)
        case (.blob, .data(let data)), (.data, .data(let data)): .data(data)
        case (.blob, .number(let number)): .number(number)
        case (.data, .text(let text)): .data(Array(text.utf8))
        case (.data, .number(let number)):
            Int32(exactly: number).map { number in
                .data(withUnsafeBytes(of: number.littleEndian) { Array($0) })
            }
        case (.number, _): number(value)
        case (.date, .date(let seconds)) where seconds.isFinite: .date(seconds)
        default: nil
        }
    }

    private func number(_ value: QueryValue) -> AttributeValue? {
        switch value {
        case .number(let number): .number(number)
        case .text(let text): AttributeValue.decimal(text).map { .number($0) } ?? .text(text)
        default: nil
        }
    }

    private func string(_ value: QueryValue) -> String? {
        switch value {
        case .text(let text): text
        case .data(let data): String(validating: data, as: UTF8.self)
        case .uuid(let bytes): uuidText(bytes)
        default: nil
        }
    }

    private func uuidText(_ bytes: [UInt8]) -> String {
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text += "-" }
            text += Hexadecimal.text(of: [byte])
        }
        return text.uppercased()
    }
}
