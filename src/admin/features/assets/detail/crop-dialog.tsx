import { ActionIcon, Button, Group, NumberInput, SegmentedControl, Stack, Text, Tooltip } from '@mantine/core'
import { IconRotate2, IconRotateClockwise2 } from '@tabler/icons-react'
import { type PointerEvent, useId, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { errorText } from '#admin/lib/errors.ts'
import { Dialog } from '#admin/ui/dialog.tsx'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import {
  dragged,
  fitted,
  type Handle,
  handles,
  isWhole,
  keyed,
  largest,
  type Region,
  type Size,
  type Turn,
  turnedSize,
  whole,
} from './crop.ts'
import classes from './crop-dialog.module.css'

const shapes = { free: null, '1:1': 1, '4:3': 4 / 3, '3:4': 3 / 4, '16:9': 16 / 9 } as const
type Shape = keyof typeof shapes

interface CropDialogProps {
  src: string
  size: Size
  /** Rotates the picture clockwise, then crops it. Throws the server's error. */
  onApply: (change: { rotate?: Turn; region?: Region }) => Promise<void>
  onClose: () => void
}

/** A dialog to rotate and crop a picture, with handles, keys and number inputs. */
export function CropDialog({ src, size: original, onApply, onClose }: CropDialogProps) {
  const t = useTranslations('assets.crop')
  const common = useTranslations('common')
  const [turn, setTurn] = useState<Turn>(0)
  const size = turnedSize(original, turn)
  const [region, setRegion] = useState<Region>(whole(original))
  const [shape, setShape] = useState<Shape>('free')
  const [running, setRunning] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const isChanged = turn !== 0 || !isWhole(region, size)

  function rotate(by: 90 | 270) {
    const next = ((turn + by) % 360) as Turn
    setTurn(next)
    const ratio = shapes[shape]
    setRegion(ratio === null ? whole(turnedSize(original, next)) : largest(turnedSize(original, next), ratio))
  }

  async function apply() {
    setRunning(true)
    setProblem(null)
    try {
      await onApply({
        ...(turn === 0 ? {} : { rotate: turn }),
        ...(isWhole(region, size) ? {} : { region }),
      })
      onClose()
    } catch (error) {
      setProblem(errorText(error))
      setRunning(false)
    }
  }

  return (
    <Dialog onClose={onClose} title={t('title')} size="xl">
      <Stack gap="sm">
        <Group gap="sm">
          <SegmentedControl
            aria-label={t('shape')}
            size="xs"
            value={shape}
            data={Object.keys(shapes).map((value) => ({
              value,
              label: value === 'free' ? t('free') : value,
            }))}
            onChange={(value) => {
              const ratio = shapes[value as Shape]
              setShape(value as Shape)
              if (ratio !== null) setRegion(largest(size, ratio))
            }}
          />
          <Tooltip label={t('rotateLeft')}>
            <ActionIcon variant="default" size="lg" aria-label={t('rotateLeft')} onClick={() => rotate(270)}>
              <IconRotate2 size={18} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label={t('rotateRight')}>
            <ActionIcon variant="default" size="lg" aria-label={t('rotateRight')} onClick={() => rotate(90)}>
              <IconRotateClockwise2 size={18} />
            </ActionIcon>
          </Tooltip>
        </Group>
        <Stage src={src} turn={turn} size={size} region={region} shape={shapes[shape]} onChange={setRegion} />
        <Figures size={size} region={region} shape={shapes[shape]} onChange={setRegion} />
        <Text size="sm" c="dimmed">
          {t('text')}
        </Text>
        <FormProblem text={problem} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} disabled={running}>
            {common('cancel')}
          </Button>
          <Button loading={running} disabled={!isChanged} onClick={() => void apply()}>
            {t('apply')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

interface RegionProps {
  size: Size
  region: Region
  shape: number | null
  onChange: (region: Region) => void
}

function Stage({ src, turn, size, region, shape, onChange }: RegionProps & { src: string; turn: Turn }) {
  const t = useTranslations('assets.crop')
  const stage = useRef<HTMLDivElement>(null)
  const drag = useRef<{ handle: Handle; x: number; y: number; region: Region } | null>(null)
  const hint = useId()
  const percent = (part: number, of: number) => `${(part / of) * 100}%`

  const grip = (handle: Handle) => ({
    onPointerDown: (event: PointerEvent) => {
      event.stopPropagation()
      event.currentTarget.setPointerCapture(event.pointerId)
      drag.current = { handle, x: event.clientX, y: event.clientY, region }
    },
    onPointerMove: (event: PointerEvent) => {
      const box = stage.current?.getBoundingClientRect()
      if (!drag.current || !box || drag.current.handle !== handle) return
      const by = {
        x: ((event.clientX - drag.current.x) / box.width) * size.width,
        y: ((event.clientY - drag.current.y) / box.height) * size.height,
      }
      onChange(dragged(drag.current.region, handle, by, size, shape))
    },
    onPointerUp: () => {
      drag.current = null
    },
  })

  const isTurned = turn % 180 !== 0
  return (
    <div
      ref={stage}
      className={classes.stage}
      style={{
        aspectRatio: `${size.width} / ${size.height}`,
        maxWidth: `calc(48dvh * ${size.width / size.height})`,
      }}
    >
      <img
        src={src}
        alt=""
        draggable={false}
        style={{
          // Sizes apply before the rotation: the width of a picture turned by 90 or 270 degrees is the stage's height.
          width: isTurned ? percent(size.height, size.width) : '100%',
          transform: `translate(-50%, -50%) rotate(${turn}deg)`,
        }}
      />
      <button
        type="button"
        className={classes.region}
        style={{
          left: percent(region.left, size.width),
          top: percent(region.top, size.height),
          width: percent(region.width, size.width),
          height: percent(region.height, size.height),
        }}
        aria-label={t('region', { ...region })}
        aria-describedby={hint}
        onKeyDown={(event) => {
          const next = keyed(region, event.key, event.shiftKey, size, shape)
          if (!next) return
          event.preventDefault()
          onChange(next)
        }}
        {...grip('')}
      >
        {handles.map((handle) => (
          <span key={handle} className={classes.handle} data-handle={handle} {...grip(handle)} />
        ))}
      </button>
      <span id={hint} hidden>
        {t('keys')}
      </span>
    </div>
  )
}

function Figures({ size, region, shape, onChange }: RegionProps) {
  const t = useTranslations('assets.crop')
  const set = (part: Partial<Region>) => onChange(fitted({ ...region, ...part }, size))
  const input = (name: keyof Region, maximum: number, change: (value: number) => Partial<Region>) => (
    <NumberInput
      size="xs"
      label={t(name)}
      suffix=" px"
      min={name === 'left' || name === 'top' ? 0 : 1}
      max={maximum}
      allowDecimal={false}
      allowNegative={false}
      value={region[name]}
      onChange={(value) => typeof value === 'number' && set(change(value))}
    />
  )
  return (
    <div className={classes.figures}>
      {input('left', size.width - region.width, (left) => ({ left }))}
      {input('top', size.height - region.height, (top) => ({ top }))}
      {input('width', size.width, (width) =>
        shape === null ? { width } : { width: Math.min(width, size.height * shape), height: width / shape },
      )}
      {input('height', size.height, (height) =>
        shape === null ? { height } : { height: Math.min(height, size.width / shape), width: height * shape },
      )}
    </div>
  )
}
