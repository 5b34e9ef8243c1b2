import { z } from 'zod'
import { endpoint } from './endpoint.ts'

export const mapEndpoints = {
  getMapTiles: endpoint('GET /api/map:getTiles', {
    summary:
      'Where the admin’s maps come from: an address with `{z}`, `{x}` and `{y}`; null when this installation uses none.',
    permission: 'account',
    response: z.object({ tiles: z.string().nullable(), attribution: z.string() }),
  }),
}
