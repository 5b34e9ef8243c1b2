import { implement } from '#server/http/endpoints.ts'
import { externalStorageEndpoints } from '#shared/contract/external-storage.ts'
import * as externalStorage from './external-storage.service.ts'

export const externalStorageRoutes = implement(externalStorageEndpoints, {
  getExternalStorage: (ctx) => externalStorage.getExternalStorage(ctx),
  saveExternalStorage: (ctx, { body }, { signal }) =>
    externalStorage.saveExternalStorage(ctx, body.data, signal),
  deleteExternalStorage: (ctx) => externalStorage.leaveExternalStorage(ctx),
  testExternalStorage: async (ctx, { body }, { signal }) => ({
    problem: await externalStorage.testExternalStorage(ctx, body.data, signal),
  }),
  moveFiles: (ctx) => externalStorage.moveFiles(ctx),
})
