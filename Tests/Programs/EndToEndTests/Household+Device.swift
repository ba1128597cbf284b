import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Foundation
import Glibc
import TestSupport
import Testing

/// The device passcode of a household, and the states of its device.
extension Household {
    static let passcode = "correct horse"

    @discardableResult
    func passcode(_ command: PasscodeCommand, _ passcodes: String...) throws -> DeviceReport {
        try client.call(command, passcodes.map { SecretBytes(Array($0.utf8)) })
    }

    func enter(_ state: LockState) throws {
        switch state {
        case .unlocked: try #require(try passcode(.unlock, Self.passcode).outcome == .done)
        case .locked:
            try enter(.unlocked)
            try #require(try client.device(.lock).state == .locked)
        case .beforeFirstUnlock:
            try killCustodian()
            try #require(try client.device(.state).state == .beforeFirstUnlock)
        }
    }

    /// Ends the key custodian alone, and waits until it is gone.
    func killCustodian() throws {
        let pid = try #require(custodianPID)
        try #require(kill(pid, SIGKILL) == 0)
        try until("the custodian is gone") {
            kill(pid, 0) != 0 || ProcessTable.name(of: pid) != "enclaved" || custodianPID != pid
        }
    }
}
