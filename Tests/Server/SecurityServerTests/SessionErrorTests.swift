import ChatelaineIPC
import ChatelaineModel
import Testing

@testable import SecurityServer

/// The log and the sentences of errors contain no names of Swift cases, since people read them.
@Suite struct SessionErrorTests {
    @Test func errorsSpeak() {
        let errors: [any Error] = [
            SessionError.unknownSender, SessionError.otherUser, SessionError.otherProcess,
            SessionError.executableChanged,
            SessionError.noDescriptor, SessionError.wrongNonce, SessionError.givenAway, SessionError.unknownVersion,
            FrameError.closed, FrameError.tooLong(7), FrameError.unexpected, FrameError.timedOut,
            FrameError.system(104),
            CBORError.truncated, CBORError.unexpectedType, CBORError.unsupported, CBORError.notShortest,
            CBORError.missingField,
            CBORError.outOfRange, CBORError.invalidText, CBORError.unorderedKeys, CBORError.limitExceeded,
            CBORError.trailingBytes,
        ]
        for error in errors { #expect("\(error)".contains(" "), "\(error)") }
        #expect(Set(errors.map { "\($0)" }).count == errors.count)
    }
}
