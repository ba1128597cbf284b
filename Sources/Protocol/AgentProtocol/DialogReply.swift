import ChatelaineModel

/// What came of a dialog. The numbers are on the wire.
package enum DialogReply: UInt8, CaseIterable, Sendable {
    /// What was typed is in the pipe.
    case typed = 1
    /// Allowed by a button, which is no proof of presence.
    case allowed = 2
    case denied = 3
    case cancelled = 4
    case timedOut = 5
    /// There is neither a terminal of the user's nor a display.
    case nowhere = 6
    /// There is no pinentry.
    case noPinentry = 7
    /// Others than root can change the pinentry that there is.
    case unsafePinentry = 8
    /// The pinentry that there is does not start, or ends, or says what it should not.
    case failed = 9
    /// In a terminal only the passcode can allow it, and there is none.
    case noPasscode = 10
    /// It is being shown; another reply follows. Said where the dialog has a reader.
    case shown = 11
    /// The person asks for another way than a touch of the reader.
    case fallback = 12
    /// A changed program is to be taken for the older one everywhere.
    case everywhere = 13
    /// It is let in this time; or an item is given this once.
    case once = 14
    /// An item is given from now on.
    case always = 15
}

extension DialogReply: CBORValue {
    private enum Field: UInt64, CBORField {
        case outcome = 1
    }

    /// Writes it as all of a frame.
    package func encodeFrame(to writer: inout CBORWriter) { writer.writeMap { $0.write(Field.outcome, self) } }

    package init(frame: UnsafeRawBufferPointer) throws(CBORError) {
        var map = try CBORMap(CBORReader(frame))
        self = try map.read(Field.outcome)
        try map.end().finish()
    }
}
