import ChatelaineIPC
import Testing

@testable import SecurityServer

@Suite struct RequestRouterTests {
    /// A request without a route, or with two, would end the daemon as it looks for the first route.
    @Test(arguments: Operation.allCases) func everyRequestHasItsRoute(operation: Operation) {
        #expect(RequestRouter.shared.route(of: operation)?.message == operation.message)
    }
}
