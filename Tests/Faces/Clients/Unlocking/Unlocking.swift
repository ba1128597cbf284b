// Code in the manner of applications: it captures what is not Sendable in the replies of LocalAuthentication. In Swift 6
// that is a warning with Apple's headers, and so it is here (Tests/install-test.sh).
import Foundation
import LocalAuthentication

final class Screen {
    var isOpen = false
    var message = ""
}

func unlock(_ screen: Screen, _ completion: @escaping (Bool, Error?) -> Void) {
    let context = LAContext()
    var error: NSError?
    guard context.canEvaluatePolicy(.deviceOwnerAuthentication, error: &error) else {
        completion(false, error)
        return
    }
    context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "Open the notes") { success, error in
        screen.isOpen = success
        if let error = error as? LAError, error.code != .userCancel { screen.message = error.localizedDescription }
        completion(success, error)
    }
}

func unlock(_ screen: Screen, by control: SecAccessControl, _ completion: @escaping (Bool, Error?) -> Void) {
    LAContext().evaluateAccessControl(control, operation: .useItem, localizedReason: "Open the notes") { success, error in
        screen.isOpen = success
        completion(success, error)
    }
    LAContext().evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "Open the notes", reply: completion)
}

final class OpenContext: LAContext {
    override func evaluatePolicy(
        _ policy: LAPolicy, localizedReason: String, reply: @escaping (Bool, Error?) -> Void
    ) { reply(true, nil) }
}
