/// What a prompt calls the item, and when the prompt is shown.
package struct ACLPrompt: Hashable, Sendable {
    /// What the dialog calls the item.
    package var description: ExactText
    package var selector: PromptSelector

    package init(_ description: ExactText, _ selector: PromptSelector = []) {
        self.description = description
        self.selector = selector
    }
}

/// Conditions of a prompt, with Apple's numbers (`SecKeychainPromptSelector`); unknown ones are kept.
package struct PromptSelector: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Only the keychain's password answers the prompt.
    package static let requirePassphrase = PromptSelector(rawValue: 0x01)
    /// With ``unsignedAct``: programs without a signature are asked about.
    package static let unsigned = PromptSelector(rawValue: 0x10)
    /// The setting of ``unsigned`` replaces the default.
    package static let unsignedAct = PromptSelector(rawValue: 0x20)
    /// With ``invalidAct``: programs whose signature does not count are asked about.
    package static let invalid = PromptSelector(rawValue: 0x40)
    /// The setting of ``invalid`` replaces the default.
    package static let invalidAct = PromptSelector(rawValue: 0x80)

    /// Whether a person is asked about a program with this standing; otherwise the program is refused without a prompt.
    func asks(about standing: CodeStanding) -> Bool {
        switch standing {
        case .valid: true
        case .unsigned: contains(.unsignedAct) ? contains(.unsigned) : true
        case .invalid: contains(.invalidAct) ? contains(.invalid) : true
        case .unreadable: false
        }
    }
}

/// The state of a program's signature.
package enum CodeStanding: Hashable, Sendable, CaseIterable {
    /// The signature counts, or the program needs none because only root could put it there.
    case valid
    case unsigned
    /// The signature does not count, or the program was not found.
    case invalid
    /// There is a signature that could not be read.
    case unreadable
}

extension ACLPrompt: CBORValue {
    private enum Field: UInt64, CBORField {
        case description = 1
        case selector = 2
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.description, description)
            if !selector.isEmpty { $0.write(Field.selector, UInt32(selector.rawValue)) }
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        description = try map.read(Field.description)
        selector = []
        if let number: UInt32 = try map.readIfPresent(Field.selector) {
            guard let number = UInt16(exactly: number), number != 0 else { throw .outOfRange }
            selector = PromptSelector(rawValue: number)
        }
        reader = try map.end()
    }
}
