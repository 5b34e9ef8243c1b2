import { CloseButton, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { type Place, readPlace } from '#shared/fields/place.ts'

interface PlaceInputsProps {
  /** Coordinates, or typed text that cannot be read as coordinates yet. */
  value: unknown
  onChange: (value: Place | string | undefined) => void
  onBlur: () => void
  readOnly: boolean
  invalid: boolean
  id: string
  describedBy: string | undefined
  required?: boolean
}

const sides = ['lat', 'lng'] as const
type Typed = Record<(typeof sides)[number], string>

/**
 * Inputs for latitude and longitude. Complete coordinates in any common form, or a map URL, fill both inputs when
 * entered into either one. Other text stays in the inputs and is passed on as text.
 */
export function PlaceInputs({ value, onChange, onBlur, readOnly, invalid, ...props }: PlaceInputsProps) {
  const t = useTranslations('fields.map')
  const place = asPlace(value)
  const [typed, setTyped] = useState<Typed | null>(null)
  const shown = typed && isSame(meaning(typed), value) ? typed : textsOf(value)

  function change(next: Typed) {
    setTyped(next)
    onChange(meaning(next))
  }

  function type(side: (typeof sides)[number], text: string) {
    const whole = readPlace(text)
    change(whole ? textsOf(whole) : { ...shown, [side]: text })
  }

  return (
    <Group gap="xs" align="flex-end" wrap="nowrap">
      {sides.map((side) => (
        <TextInput
          key={side}
          label={t(side)}
          flex="0 1 170px"
          miw={0}
          id={side === 'lat' ? props.id : `${props.id}-${side}`}
          attributes={{
            input: { 'aria-describedby': props.describedBy, 'aria-required': props.required || undefined },
          }}
          placeholder={t(`${side}Placeholder`)}
          autoComplete="off"
          inputMode="text"
          readOnly={readOnly}
          error={invalid}
          value={shown[side]}
          onChange={(event) => type(side, event.currentTarget.value)}
          onBlur={() => {
            if (place) setTyped(null)
            onBlur()
          }}
        />
      ))}
      {!readOnly && value !== undefined && (
        <CloseButton
          aria-label={t('clear')}
          size={36}
          iconSize={16}
          onClick={() => {
            setTyped(null)
            onChange(undefined)
          }}
        />
      )}
    </Group>
  )
}

/** Returns the value as coordinates; null for any other value. */
export function asPlace(value: unknown): Place | null {
  const { lat, lng } = (typeof value === 'object' && value !== null ? value : {}) as Partial<Place>
  return typeof lat === 'number' && typeof lng === 'number' ? { lat, lng } : null
}

function meaning({ lat, lng }: Typed): Place | string | undefined {
  const text = `${lat.trim()}, ${lng.trim()}`
  return text === ', ' ? undefined : (readPlace(text) ?? text)
}

function textsOf(value: unknown): Typed {
  const place = asPlace(value)
  if (place) return { lat: String(place.lat), lng: String(place.lng) }
  const [lat = '', lng = ''] = typeof value === 'string' ? value.split(',').map((part) => part.trim()) : []
  return { lat, lng }
}

function isSame(one: Place | string | undefined, other: unknown): boolean {
  const [a, b] = [asPlace(one), asPlace(other)]
  return a && b ? a.lat === b.lat && a.lng === b.lng : one === other
}
