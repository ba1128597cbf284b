import ChatelaineIPC
import ChatelaineModel
import Testing

@testable import SecurityServer

/// What a keychain's path says of those who answer for its items.
struct KeychainPathUseTests {
    @Test func theMachinesAreTheMachines() throws {
        let folder = KeychainFolders.machine
        for (path, isOfMachine) in [
            ("\(folder)/System.keychain-db", true), ("/home/ada\(folder)/a-db", false), ("\(folder)s/a-db", false),
        ] {
            #expect(try KeychainPath(path, in: "/home/ada/keychains").isOfMachine == isOfMachine, "\(path)")
        }
    }
}
