import { z } from 'zod'
import { endpoint } from './endpoint.ts'

export const mapEndpoints = {
  getMapTiles: endpoint('GET /api/map:getTiles', {
    summary: 'Get the URL template of the map tiles that the admin shows',
    description: 'The URL has `{z}`, `{x}` and `{y}`. `tiles` is null if the installation uses no maps.',
    permission: 'account',
    response: z.object({ tiles: z.string().nullable(), attribution: z.string() }),
  }),
}
