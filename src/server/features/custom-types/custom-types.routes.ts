import { copyCustomType } from '#server/features/model-copies/custom-type-copies.service.ts'
import {
  type CustomTypeRecord,
  concealed,
  concealedOne,
  presentChange,
} from '#server/features/models/models.service.ts'
import { implement } from '#server/http/endpoints.ts'
import { success } from '#shared/contract/common.ts'
import { customTypeEndpoints } from '#shared/contract/custom-types.ts'
import * as customTypes from './custom-types.service.ts'
import {
  confirmCustomTypeChange,
  listCustomTypeChanges,
  takeBackCustomTypeChange,
} from './custom-types.take-back.ts'

const present = ({ id: _, ...customType }: CustomTypeRecord) => customType

export const customTypeRoutes = implement(customTypeEndpoints, {
  listCustomTypes: async (ctx) => ({
    customFieldTypes: (await concealed(ctx, await customTypes.listCustomTypes(ctx))).map(present),
  }),
  createCustomType: async (ctx, { body }) => ({
    customFieldType: present(await customTypes.createCustomType(ctx, body.data)),
  }),
  getCustomType: async (ctx, { params }) => ({
    customFieldType: present(await concealedOne(ctx, await customTypes.getCustomType(ctx, params.id))),
  }),
  updateCustomType: async (ctx, { params, body }) => {
    const { acceptLoss = false, dryRun = false } = body
    const options = { acceptLoss, dryRun }
    const { customType, ...told } = await customTypes.updateCustomType(ctx, params.id, body.data, options)
    return { customFieldType: present(customType), ...told }
  },
  listCustomTypeChanges: async (ctx, { params }) => ({
    changes: (await listCustomTypeChanges(ctx, params.id)).map(presentChange),
  }),
  takeBackCustomTypeChange: async (ctx, { params, body }) => {
    const { acceptLoss = false, dryRun = false } = body
    const options = { acceptLoss, dryRun }
    const { customType, ...told } = await takeBackCustomTypeChange(ctx, params.id, body.version, options)
    return { customFieldType: present(customType), ...told }
  },
  confirmCustomTypeChange: async (ctx, { params, body }) => ({
    changes: (await confirmCustomTypeChange(ctx, params.id, body.version)).map(presentChange),
  }),
  deleteCustomType: async (ctx, { params }) => {
    await customTypes.deleteCustomType(ctx, params.id)
    return success
  },
  copyCustomType: async (ctx, { params, body }) => {
    const { customType, copied } = await copyCustomType(ctx, params.m, body)
    return { customFieldType: present(customType), customFieldTypes: copied.map(present) }
  },
})
