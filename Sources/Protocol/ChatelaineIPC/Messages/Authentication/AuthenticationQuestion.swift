import ChatelaineModel

/// How a person is to be asked for a program, when the program itself asks for their presence.
package struct AuthenticationQuestion: Hashable, Sendable {
    /// The program's reason. A dialog shows it as the program's own words, as all that follows.
    package var reason: OperationPrompt
    /// Whether a person may be asked at all.
    package var allowsInteraction: Bool
    /// What the program calls the button that ends the dialog; nil for our own word.
    package var cancelTitle: OperationPrompt?
    /// What it calls the button by which a person asks for another way than a biometric; empty where there is to be none, nil for our own word.
    package var fallbackTitle: OperationPrompt?

    package init(
        reason: OperationPrompt, allowsInteraction: Bool = true, cancelTitle: OperationPrompt? = nil,
        fallbackTitle: OperationPrompt? = nil
    ) {
        self.reason = reason
        self.allowsInteraction = allowsInteraction
        self.cancelTitle = cancelTitle
        self.fallbackTitle = fallbackTitle
    }
}

extension AuthenticationQuestion: CBORValue {
    private enum Field: UInt64, CBORField {
        case reason = 0
        case allowsInteraction = 1
        case cancelTitle = 2
        case fallbackTitle = 3
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.reason, reason)
            $0.write(Field.allowsInteraction, allowsInteraction)
            $0.write(Field.cancelTitle, cancelTitle)
            $0.write(Field.fallbackTitle, fallbackTitle)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        let reason: OperationPrompt = try map.read(Field.reason)
        self.init(reason: reason, allowsInteraction: try map.read(Field.allowsInteraction))
        cancelTitle = try map.readIfPresent(Field.cancelTitle)
        fallbackTitle = try map.readIfPresent(Field.fallbackTitle)
        reader = try map.end()
    }
}
