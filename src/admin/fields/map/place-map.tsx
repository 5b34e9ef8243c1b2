import 'leaflet/dist/leaflet.css'
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import L from 'leaflet'
import { useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import type { Place } from '#shared/fields/place.ts'
import classes from './map.module.css'

interface PlaceMapProps {
  place: Place | null
  label: string
  /** Called with the new position of the pin. If it is omitted, the map is read-only. */
  onChoose?: (place: Place) => void
}

/** The map shows Japan until a position is chosen. */
const start = { center: [36.5, 138] as L.LatLngTuple, zoom: 5 }
const close = 15
/** If this number of tiles fails before the first tile loads, the tile server counts as unreachable. */
const patience = 3

const tilesQuery = {
  queryKey: ['mapTiles'],
  queryFn: ({ signal }: { signal: AbortSignal }) => api('GET /api/map:getTiles', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
}

/**
 * A map with a pin. The user places the pin by a click, by dragging it, or with Enter, which moves it to the middle of
 * the map. If no tiles are configured or the tiles fail to load, the map shows coastlines and a note. If the request
 * for the tile URL fails, the map shows only the note.
 */
export function PlaceMap({ place, label, onChoose }: PlaceMapProps) {
  const t = useTranslations('fields.map')
  const tiles = useQuery(tilesQuery)
  const host = useRef<HTMLDivElement>(null)
  const [map, setMap] = useState<L.Map | null>(null)
  const [isOutline, setOutline] = useState(false)
  const choose = useRef(onChoose)
  choose.current = onChoose
  const mayChoose = onChoose !== undefined

  useEffect(() => {
    if (!host.current) return
    const made = L.map(host.current, {
      ...start,
      zoomControl: false,
      scrollWheelZoom: false,
      worldCopyJump: true,
    })
    L.control.zoom({ zoomInTitle: t('zoomIn'), zoomOutTitle: t('zoomOut') }).addTo(made)
    made.attributionControl.setPrefix(false)
    made.on('click', ({ latlng }) => choose.current?.(placeAt(latlng)))
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || event.target !== made.getContainer()) return
      event.preventDefault()
      choose.current?.(placeAt(made.getCenter()))
    }
    made.getContainer().addEventListener('keydown', onKeyDown)
    setMap(made)
    return () => {
      setMap(null)
      made.remove()
    }
  }, [t])

  useEffect(() => {
    if (!map || !tiles.data) return
    const showOutline = async () => {
      setOutline(true)
      const { addOutline } = await import('./outline.ts')
      if (map.getContainer().isConnected) addOutline(map)
    }
    const { tiles: address, attribution } = tiles.data
    if (address === null) {
      void showOutline()
      return
    }
    // The attribution is plain text from the operator, not HTML.
    const layer = L.tileLayer(address, { attribution: escapeHtml(attribution), maxZoom: 19 })
    let failed = 0
    layer.on('tileload', () => layer.off('tileerror'))
    layer.on('tileerror', () => {
      if (++failed !== patience) return
      layer.remove()
      void showOutline()
    })
    layer.addTo(map)
    return () => void layer.remove()
  }, [map, tiles.data])

  const { lat, lng } = place ?? {}
  useEffect(() => {
    if (!map || lat === undefined || lng === undefined) return
    const pin = L.marker([lat, lng], {
      icon: L.divIcon({
        className: classes.pin ?? '',
        html: pinImage,
        iconSize: [30, 40],
        iconAnchor: [15, 39],
      }),
      draggable: mayChoose,
      // The inputs above the map already show the position to screen readers.
      keyboard: false,
      interactive: mayChoose,
    })
    pin.on('dragend', () => choose.current?.(placeAt(pin.getLatLng())))
    pin.addTo(map)
    if (!map.getBounds().contains([lat, lng]) || map.getZoom() <= start.zoom)
      map.setView([lat, lng], Math.min(map.getMaxZoom(), Math.max(map.getZoom(), close)), { animate: false })
    return () => void pin.remove()
  }, [map, lat, lng, mayChoose])

  return (
    <div>
      <div
        ref={host}
        className={classes.map}
        role="application"
        aria-label={mayChoose ? t('useMap', { label }) : label}
      />
      <div role="status">
        {(isOutline || tiles.isError) && (
          <Text size="xs" c="dimmed" mt={4}>
            {t('outline')}
          </Text>
        )}
      </div>
    </div>
  )
}

/** Returns a position rounded to six decimals, which is about 10 cm. */
function placeAt(at: L.LatLng): Place {
  const { lat, lng } = at.wrap()
  return { lat: Number(lat.toFixed(6)) + 0, lng: Number(lng.toFixed(6)) + 0 }
}

const escapeHtml = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;')

const pinImage =
  '<svg viewBox="0 0 30 40" aria-hidden="true"><path d="M15 39C10 29 2 23 2 14a13 13 0 0 1 26 0c0 9-8 15-13 25z" fill="#d6336c" stroke="#fff" stroke-width="2"/><circle cx="15" cy="14" r="5" fill="#fff"/></svg>'
