import CChatelaineFoundation
import ChatelaineModel
import Foundation
import Glibc
import LocalAuthentication
import Testing

@testable import ChatelaineCInterface
@testable import Security

/// Tests of the error objects of failed authentications, in Swift and in C.
struct AuthenticationErrorTests {
    private static func failure(_ authentication: AuthenticationFailure?) -> KeychainError {
        var failure = KeychainError(.userCanceled, "the person went away")
        failure.authentication = authentication
        return failure
    }

    @Test(arguments: AuthenticationFailure.allCases) func swiftGetsOneOfLocalAuthentication(
        _ authentication: AuthenticationFailure
    ) throws {
        let error: any Error = ResultObject.error(Self.failure(authentication))
        let object = try #require(error as? LAError)
        let code: LAError.Code =
            switch authentication {
            case .failed: .authenticationFailed
            case .cancelledByPerson: .userCancel
            case .fallback: .userFallback
            case .cancelledBySystem: .systemCancel
            case .notInteractive: .notInteractive
            }
        #expect(object.code == code && object.localizedDescription == "the person went away")
        let beneath = try #require(object._nsError.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(beneath.domain == NSOSStatusErrorDomain && beneath.code == Int(errSecUserCanceled))
    }

    @Test func otherFailuresKeepTheirStatus() {
        let object = ResultObject.error(Self.failure(nil))
        #expect(object.domain == NSOSStatusErrorDomain && object.code == Int(errSecUserCanceled))
        let during = Self.failure(.cancelledByPerson).during("signing")
        #expect(during.authentication == .cancelledByPerson)
    }

    @Test func cGetsTheSame() throws {
        // CoreFoundation's own functions, which are C's alone.
        typealias Reader = @convention(c) (UnsafeRawPointer) -> Int
        typealias Getter = @convention(c) (UnsafeRawPointer) -> UnsafeRawPointer?
        let code = unsafeBitCast(try #require(dlsym(nil, "CFErrorGetCode")), to: Reader.self)
        let domain = unsafeBitCast(try #require(dlsym(nil, "CFErrorGetDomain")), to: Getter.self)
        for authentication in AuthenticationFailure.allCases.map(Optional.some) + [nil] {
            let failure = Self.failure(authentication)
            let made = try #require(ForeignResult.error(failure))
            defer { chatelaine_release(made) }
            let expected = ResultObject.error(failure)
            #expect(code(made) == expected.code)
            guard case .text(let name) = ForeignValue.meaning(of: domain(made)) else {
                Issue.record("the domain is no text")
                continue
            }
            #expect(name == expected.domain)
        }
    }
}
