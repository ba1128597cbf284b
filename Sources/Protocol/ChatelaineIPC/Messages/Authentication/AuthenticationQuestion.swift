import ChatelaineModel

/// What a person is told and offered when the program itself asks for their presence.
package struct AuthenticationQuestion: Hashable, Sendable {
    /// The program's reason. The dialog shows this text and the titles as the program's own words.
    package var reason: OperationPrompt
    /// Whether a person may be asked at all.
    package var allowsInteraction: Bool
    /// The title of the button that ends the dialog; nil for our own word.
    package var cancelTitle: OperationPrompt?
    /// The title of the button for another way than a biometric; empty for no such button, nil for our own word.
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
