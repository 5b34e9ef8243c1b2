import L from 'leaflet'
import { feature } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import land from 'world-atlas/land-110m.json'
import classes from './map.module.css'

/** Maximum zoom. At a higher zoom, the coastline data shows only straight lines or nothing. */
const nearest = 7

/** Draws coastlines and a 10-degree grid. */
export function addOutline(map: L.Map): void {
  const topology = land as unknown as Topology<{ land: GeometryCollection }>
  map.setMaxZoom(nearest)
  map.getContainer().classList.add(classes.outline ?? '')
  L.geoJSON(feature(topology, topology.objects.land), {
    interactive: false,
    style: { className: classes.land ?? '', weight: 1 },
  }).addTo(map)
  const lines: L.LatLngTuple[][] = []
  for (let lng = -180; lng <= 180; lng += 10)
    lines.push([
      [-85, lng],
      [85, lng],
    ])
  for (let lat = -80; lat <= 80; lat += 10)
    lines.push([
      [lat, -180],
      [lat, 180],
    ])
  L.polyline(lines, { interactive: false, className: classes.grid ?? '', weight: 1 }).addTo(map)
}
