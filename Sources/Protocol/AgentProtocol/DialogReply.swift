import ChatelaineModel

/// The outcome of a dialog. The numbers are on the wire.
package enum DialogReply: UInt8, CaseIterable, Sendable {
    /// The typed text is in the pipe.
    case typed = 1
    /// A button allowed it, which proves no presence.
    case allowed = 2
    case denied = 3
    case cancelled = 4
    case timedOut = 5
    /// The user has neither a terminal nor a display.
    case nowhere = 6
    /// No pinentry is installed.
    case noPinentry = 7
    /// Users other than root can change the installed pinentry.
    case unsafePinentry = 8
    /// The installed pinentry does not start, ends, or breaks its protocol.
    case failed = 9
    /// In a terminal only the passcode can allow the request, and there is none.
    case noPasscode = 10
    /// The dialog is shown, and another reply follows. Sent only for a dialog with a reader.
    case shown = 11
    /// The person asks for another way than a touch of the reader.
    case fallback = 12
    /// A changed program counts as the former one everywhere.
    case everywhere = 13
    /// A changed program is accepted this time, or an item may be used this once.
    case once = 14
    /// An item may be used from now on.
    case always = 15
}

extension DialogReply: CBORValue {
    private enum Field: UInt64, CBORField {
        case outcome = 1
    }

    /// Writes the reply as the whole of a frame.
    package func encodeFrame(to writer: inout CBORWriter) { writer.writeMap { $0.write(Field.outcome, self) } }

    package init(frame: UnsafeRawBufferPointer) throws(CBORError) {
        var map = try CBORMap(CBORReader(frame))
        self = try map.read(Field.outcome)
        try map.end().finish()
    }
}
