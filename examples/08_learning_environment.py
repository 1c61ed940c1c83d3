"""08: An environment for learning with the interface of Gymnasium: bring a probe into a drogue.

The agent pushes the chaser every 50 ms and sees its motion. Here the agent is a regulator with a gain that is found by
a random search over many episodes at the same time; a package for learning uses the class `Docking` as it is.
"""

import numpy as np

from softdock import Plant, PlantPool

PERIOD = 0.05  # s
FASTEST = 0.05  # m/s
INPUTS = ["servicer.force"]
OUTPUTS = [
    "nose.x in drogue",
    "nose.y in drogue",
    "nose.z in drogue",
    "nose.vx in drogue",
    "nose.vy in drogue",
    "nose.vz in drogue",
]
SCENARIO, CHANGES = (
    "assist-soft-docking",
    {"duration": 20.0, "approach.speed": 0.0},
)


class Docking:
    """One chaser; an action is a force [N] in its axes, an observation position [m] and velocity [m/s]."""

    def __init__(self) -> None:
        self.plant = Plant(SCENARIO, CHANGES, inputs=INPUTS, outputs=OUTPUTS)

    def reset(self, *, seed: int | None = None) -> tuple[np.ndarray, dict]:
        """Begin an episode with a random offset from the axis; returns observation and information."""
        offset = np.random.default_rng(seed).uniform(-0.01, 0.01, 2)
        observation = self.plant.reset(
            {"approach.offset.0": float(offset[0]), "approach.offset.1": float(offset[1])}
        )
        return observation, {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict]:
        """Push for one period; returns observation, reward, whether it ended, whether its time is over, information."""
        plant = self.plant
        observation = plant.step(PERIOD, action)
        ended = plant.ending is not None and plant.time < plant.duration
        return (
            observation,
            reward(observation, action),
            ended,
            plant.time >= plant.duration,
            {"events": plant.events},
        )


def reward(observation: np.ndarray, action: np.ndarray) -> float:
    """Return the reward of one step: closing at the wanted speed, without drift and with little force."""
    speeds = observation[..., 3:]
    wanted = np.array([0.0, 0.0, FASTEST])
    return -np.square((speeds - wanted) / FASTEST).sum(axis=-1) - 1e-4 * np.square(action).sum(axis=-1)


def regulator(gains: np.ndarray, observation: np.ndarray) -> np.ndarray:
    """Return the force of a regulator of velocity."""
    wanted = np.array([0.0, 0.0, FASTEST])
    return gains[..., None] * (wanted - observation[..., 3:])


def main() -> None:
    rng = np.random.default_rng(1)
    gains = rng.uniform(100.0, 2000.0, 8)
    with PlantPool(SCENARIO, len(gains), CHANGES, inputs=INPUTS, outputs=OUTPUTS) as pool:
        observations, returns = pool.outputs_now, np.zeros(len(gains))
        for _ in range(100):
            actions = regulator(gains, observations)
            observations = pool.step(PERIOD, actions)
            returns += reward(observations, actions)
    best = gains[returns.argmax()]
    print(f"Returns {returns.min():.1f} to {returns.max():.1f}; the best gain is {best:.0f} N s/m")

    docking = Docking()
    observation, _ = docking.reset(seed=3)
    start = docking.plant.save()
    total = 0.0
    for _ in range(100):
        action = regulator(np.asarray(best), observation)
        observation, gained, ended, truncated, _ = docking.step(action)
        total += gained
        if ended or truncated:
            break
    print(
        f"At {docking.plant.time:.2f} s: z {observation[2]:.4f} m, speed {observation[5]:.4f} m/s, return {total:.1f}"
    )

    # The same actions from the same state give the same bits.
    ends = []
    for plant in (docking.plant, docking.plant.copy()):
        plant.restore(start)
        for _ in range(20):
            end = plant.step(PERIOD, regulator(np.asarray(best), plant.y))
        ends.append(end)
    assert np.array_equal(*ends)
    assert returns.max() > returns.min()
    assert 0.01 < ends[0][5] < FASTEST, ends[0]  # it moves towards the drogue


if __name__ == "__main__":
    main()
