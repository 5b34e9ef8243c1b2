import { Button, Text } from '@mantine/core'
import { type KeyboardEvent, type PointerEvent, useId, useRef } from 'react'
import { useTranslations } from 'use-intl'
import { coverPosition, middle, moved, type Point, pointAt } from './focal.ts'
import classes from './focal-point.module.css'

const shapes = [
  ['1:1', 1],
  ['16:9', 16 / 9],
  ['4:3', 4 / 3],
  ['3:4', 3 / 4],
] as const

interface FocalPointProps {
  /** URL of a preview of the picture. */
  src: string
  width: number
  height: number
  value: Point | null
  onChange: (value: Point | null) => void
}

/** An input for the focal point of a picture. Previews crops in common aspect ratios. */
export function FocalPoint({ src, width, height, value, onChange }: FocalPointProps) {
  const t = useTranslations('assets.focal')
  const stage = useRef<HTMLDivElement>(null)
  const hint = useId()
  const point = value ?? middle
  const percent = { x: Math.round(point.x * 100), y: Math.round(point.y * 100) }

  function follow(event: PointerEvent) {
    const box = stage.current?.getBoundingClientRect()
    if (box) onChange(pointAt((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height))
  }

  function onKeyDown(event: KeyboardEvent) {
    const next = moved(point, event.key, event.shiftKey)
    if (!next) return
    event.preventDefault()
    onChange(next)
  }

  return (
    <div className={classes.editor}>
      <Text size="sm" c="dimmed" id={hint}>
        {t('hint')}
      </Text>
      <div
        ref={stage}
        className={classes.stage}
        style={{ aspectRatio: `${width} / ${height}`, maxWidth: `calc(46dvh * ${width / height})` }}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          follow(event)
        }}
        onPointerMove={(event) => event.currentTarget.hasPointerCapture(event.pointerId) && follow(event)}
      >
        <img src={src} alt="" draggable={false} />
        <button
          type="button"
          className={classes.marker}
          style={{ left: `${point.x * 100}%`, top: `${point.y * 100}%` }}
          aria-label={t('marker', percent)}
          aria-describedby={hint}
          onKeyDown={onKeyDown}
        />
      </div>
      <ul className={classes.shapes} aria-label={t('previews')}>
        {shapes.map(([name, shape]) => (
          <li key={name}>
            <img
              src={src}
              alt=""
              draggable={false}
              style={{
                aspectRatio: shape,
                objectPosition: coverPosition(width / height, shape, point),
              }}
            />
            <span>{name}</span>
          </li>
        ))}
      </ul>
      <Button
        variant="default"
        size="xs"
        style={{ justifySelf: 'start' }}
        disabled={value === null}
        onClick={() => onChange(null)}
      >
        {t('reset')}
      </Button>
    </div>
  )
}
