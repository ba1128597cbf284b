import ChatelaineIPC

extension RequestHandler {
    /// Who carries out which request; the one table of them.
    mutating func answer(_ request: RequestReader) throws {
        switch request.operation {
        case .find: try answer(request.read(), ItemHandler.find)
        case .add: try answer(request.read(), ItemHandler.add)
        case .update: try answer(request.read(), ItemHandler.update)
        case .delete: try answer(request.read(), ItemHandler.delete)
        case .status: try answer(request.read(), StatusHandler.report)
        case .listApplications, .acceptApplication, .developApplication, .forgetApplication:
            try answer(request.read(), ApplicationHandler.carryOut)
        case .listSnapshots, .takeSnapshot, .restoreSnapshot, .deleteSnapshot, .deleteSnapshots:
            try answer(request.read(), StoreHandler.snapshots)
        case .check: try answer(request.read(), StoreHandler.check)
        case .showLosses, .acknowledgeLosses: try answer(request.read(), StoreHandler.losses)
        }
    }
}
