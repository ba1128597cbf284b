import ChatelaineModel
import EnclaveProtocol
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import SecurityServer

/// Programs share the custodian's places for passcodes, and wait for their turn.
@Suite struct PasscodePlacesTests {
    private static let (first, second) = (
        PasscodeOrigin.program(Bytes16(repeating: 1)), PasscodeOrigin.program(Bytes16(repeating: 2))
    )

    /// Places with requests that hold theirs until the gate opens.
    private final class Holders: Sendable {
        let places: PasscodePlaces
        let gate = Gate()
        let served = Mutex<[PasscodeOrigin]>([])

        init(_ count: Int) {
            places = PasscodePlaces(count)
            gate.shut()
        }

        func begin(_ program: PasscodeOrigin) -> Work<Void> {
            Work { [self] in
                try places.hold(for: program) {
                    served.withLock { $0.append(program) }
                    gate.pass()
                }
            }
        }

        func await(served: Int, waiting: Int) {
            while self.served.withLock({ $0.count }) < served || places.waiting < waiting { usleep(1000) }
        }
    }

    @Test func aProgramLeavesTheLastPlaceToOthers() throws {
        let holders = Holders(3)
        let busy = (0..<5).map { _ in holders.begin(Self.first) }
        holders.await(served: 2, waiting: 3)
        let other = holders.begin(Self.second)
        holders.await(served: 3, waiting: 3)
        #expect(holders.served.withLock { $0.last } == Self.second)
        holders.gate.open()
        for work in busy + [other] { try work.value() }
        #expect(holders.places.waiting == 0 && holders.served.withLock { $0.count } == 6)
    }

    @Test func whoWasServedLongestAgoComesNext() throws {
        let holders = Holders(1)
        var works = [holders.begin(Self.first)]
        holders.await(served: 1, waiting: 0)
        for waiting in 1...2 {
            works.append(holders.begin(Self.first))
            holders.await(served: 1, waiting: waiting)
        }
        works.append(holders.begin(Self.second))
        holders.await(served: 1, waiting: 3)
        holders.gate.open()
        for work in works { try work.value() }
        #expect(holders.served.withLock { $0 } == [Self.first, Self.second, Self.first, Self.first])
    }

    @Test func thoseWhoWaitAreBounded() throws {
        let holders = Holders(1)
        var works = [holders.begin(Self.first)]
        holders.await(served: 1, waiting: 0)
        works += (0..<PasscodePlaces.waitingOfProgram).map { _ in holders.begin(Self.first) }
        holders.await(served: 1, waiting: PasscodePlaces.waitingOfProgram)
        #expect(throws: KeychainError(.notAvailable, "")) { try holders.places.hold(for: Self.first) {} }
        works.append(holders.begin(Self.second))
        holders.await(served: 1, waiting: PasscodePlaces.waitingOfProgram + 1)
        holders.gate.open()
        for work in works { try work.value() }
    }
}
